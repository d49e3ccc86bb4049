import { listDeliveries, showDelivery } from '../deliveries/list-deliveries.ts';
import { attemptResult } from '../domain/attempt-result.ts';
import { deliveryWorkflowId } from '../domain/workflow-id.ts';
import type { Command } from './command.ts';
import { conflict, unavailable } from '../errors.ts';
import { accountOption, chosenAccount, withService } from './context.ts';
import { listing, table } from './table.ts';

export const deliveryList: Command = {
  name: 'delivery list',
  summary: 'show the last 100 deliveries, of the account or of one endpoint',
  options: { endpoint: { value: 'endpoint id', help: 'only this endpoint' }, ...accountOption },
  run: (input) =>
    withService(input, async ({ db }) => {
      const { id: accountId } = await chosenAccount(db, input.options['account']);
      const endpointId = input.options['endpoint'];
      const deliveries = await listDeliveries(db, { accountId, endpointId });
      const rows = deliveries.map((delivery) => [
        delivery.createdAt.slice(0, 19),
        delivery.id,
        delivery.eventType,
        delivery.state,
        String(delivery.attemptsMade),
        result(delivery),
      ]);
      const headings = ['created', 'delivery', 'event', 'state', 'attempts', 'result'];
      return { json: deliveries, text: table(headings, rows) };
    }),
};

export const deliveryShow: Command = {
  name: 'delivery show',
  summary: 'show a delivery with every attempt',
  args: ['delivery id'],
  options: accountOption,
  run: (input) =>
    withService(input, async ({ db }) => {
      const { id: accountId } = await chosenAccount(db, input.options['account']);
      const deliveryId = input.args['delivery id'] ?? '';
      const delivery = await showDelivery(db, { accountId, deliveryId });
      const head = listing({
        delivery: delivery.id,
        state: delivery.skipReason ? `${delivery.state}: ${delivery.skipReason}` : delivery.state,
        event: `${delivery.eventId} (${delivery.eventType})`,
        endpoint: `${delivery.endpointId} ${delivery.endpointUrl}`,
        next: delivery.nextAttemptAt ?? 'nothing more',
        workflow: deliveryWorkflowId(delivery.eventId),
      });
      const rows = delivery.attempts.map((attempt) => [
        String(attempt.number),
        attempt.startedAt,
        `${attempt.durationMs} ms`,
        String(attempt.statusCode ?? '-'),
        attempt.error ?? 'ok',
        (attempt.redirectTarget ?? attempt.responseExcerpt ?? '')
          .replaceAll(/\s+/g, ' ')
          .slice(0, 60),
      ]);
      const attempts = table(['#', 'started', 'took', 'status', 'result', 'answer'], rows);
      return { json: delivery, text: `${head}\n\n${attempts}` };
    }),
};

export const deliveryRetry = updateCommand('retry', 'make the next attempt now');
export const deliveryCancel = updateCommand('cancel', 'end an unfinished delivery');

function updateCommand(verb: 'retry' | 'cancel', summary: string): Command {
  return {
    name: `delivery ${verb}`,
    summary,
    args: ['delivery id'],
    options: accountOption,
    run: (input) =>
      withService(input, async ({ db }, address) => {
        const { id: accountId } = await chosenAccount(db, input.options['account']);
        const deliveryId = input.args['delivery id'] ?? '';
        const { eventId, state, finishedAt } = await showDelivery(db, { accountId, deliveryId });
        if (finishedAt) throw conflict(`The delivery is ${state} already.`);
        if (!address) throw unavailable('Temporal is not running here; start the service first.');
        // Loaded only now: the other commands need not wait for it.
        const { updateDelivery } = await import('../temporal/update-delivery.ts');
        const temporal = { address, namespace: input.config.temporalNamespace };
        const status = await updateDelivery(temporal, { eventId, deliveryId }, verb);
        return {
          json: status,
          text: `${deliveryId} is ${verb === 'retry' ? 'tried' : 'ended'} now`,
        };
      }),
  };
}

function result(delivery: {
  skipReason: string | null;
  lastStatusCode: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
}): string {
  const { skipReason, lastError, lastStatusCode, nextAttemptAt } = delivery;
  if (skipReason) return skipReason;
  const last = attemptResult(lastError, lastStatusCode) ?? '';
  return last && nextAttemptAt ? `${last}, again at ${nextAttemptAt.slice(0, 19)}Z` : last;
}
