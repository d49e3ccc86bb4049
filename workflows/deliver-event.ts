import { setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { overallState, type DeliveryState } from '../src/domain/delivery.ts';
import {
  cancelUpdate,
  recheckSignal,
  retryNowUpdate,
  SEARCH_ATTRIBUTES,
  stateQuery,
} from './contract.ts';
import type { DeliverEventInput, DeliveryStatus } from './contract.ts';
import { EndpointDelivery } from './endpoint-delivery.ts';

/**
 * Delivers one event, or makes one delivery that was asked for: a branch for each endpoint, side by side, so that none waits for another.
 * The workflow completes when every delivery is final, delivered or not; if it fails, that is a
 * bug in this service.
 */
export async function deliverEvent(input: DeliverEventInput): Promise<DeliveryStatus[]> {
  const branches = new Map(
    input.branches.map((branch) => [branch.deliveryId, new EndpointDelivery(branch, show)]),
  );
  const all = [...branches.values()];
  let shown: DeliveryState = 'pending';

  setHandler(stateQuery, () => all.map((branch) => branch.status()), {
    description: 'Where each delivery of this event stands.',
  });
  setHandler(retryNowUpdate, (id) => find(id).retryNow(), {
    validator: (id) => find(id).assertWaiting(),
    description: 'Makes the next attempt of a waiting delivery now. Takes the delivery id.',
  });
  setHandler(cancelUpdate, (id) => find(id).cancel(), {
    validator: (id) => find(id).assertUnfinished(),
    description: 'Ends an unfinished delivery for good. Takes the delivery id.',
  });
  setHandler(recheckSignal, (id) => branches.get(id)?.recheck(), {
    description:
      'The service sends it when an endpoint is paused or deleted. Takes the delivery id.',
  });

  const runs = all.map((branch) => branch.run());
  for (const run of runs) await run;
  for (const { fault } of all) if (fault !== undefined) throw fault;
  return all.map((branch) => branch.status());

  function find(deliveryId: string): EndpointDelivery {
    const branch = branches.get(deliveryId);
    if (!branch) throw new Error(`This workflow has no delivery ${deliveryId}.`);
    return branch;
  }

  /** Shows operators what changed: in the workflow list and on the workflow's page. */
  function show(): void {
    const statuses = all.map((branch) => branch.status());
    const state = overallState(statuses.map((status) => status.state));
    if (state !== shown) {
      shown = state;
      upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.deliveryState, value: state }]);
    }
    setCurrentDetails(statuses.map(describe).join('\n'));
  }
}

function describe(status: DeliveryStatus): string {
  const attempts = status.attemptsMade === 1 ? '1 attempt' : `${status.attemptsMade} attempts`;
  const next = status.nextAttemptAt ? `, next at ${status.nextAttemptAt}` : '';
  const last = status.lastResult ? `, last: ${status.lastResult}` : '';
  return `- \`${status.endpointId}\`: **${status.state}** after ${attempts}${last}${next}`;
}
