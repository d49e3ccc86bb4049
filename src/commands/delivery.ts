import { listDeliveries, showDelivery } from '../deliveries/list-deliveries.ts';
import { attemptResult } from '../domain/attempt-result.ts';
import { workflowIdOf } from '../domain/workflow-id.ts';
import { redeliver } from '../redelivery/redeliver.ts';
import type { Command } from './command.ts';
import { conflict, unavailable } from '../errors.ts';
import { accountOption, withAccount } from './context.ts';
import { listing, table } from './table.ts';

export const deliveryList: Command = {
  name: 'delivery list',
  summary: 'show the last 100 deliveries, of the account or of one endpoint',
  options: { endpoint: { value: 'endpoint id', help: 'only this endpoint' }, ...accountOption },
  run: (input) =>
    withAccount(input, async ({ db }, accountId) => {
      const endpointId = input.options['endpoint'];
      const deliveries = await listDeliveries(db, { accountId, endpointId });
      const rows = deliveries.map((delivery) => [
        delivery.createdAt.slice(0, 19),
        delivery.id,
        delivery.kind === 'automatic'
          ? delivery.eventType
          : `${delivery.eventType} (${delivery.kind})`,
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
    withAccount(input, async ({ db }, accountId) => {
      const deliveryId = input.args['delivery id'] ?? '';
      const delivery = await showDelivery(db, { accountId, deliveryId });
      const head = listing({
        delivery: delivery.id,
        kind: delivery.redeliveryOf
          ? `${delivery.kind} of ${delivery.redeliveryOf}`
          : delivery.kind,
        state: delivery.skipReason ? `${delivery.state}: ${delivery.skipReason}` : delivery.state,
        event: `${delivery.eventId} (${delivery.eventType})`,
        endpoint: `${delivery.endpointId} ${delivery.endpointUrl}`,
        ...(delivery.replacedBy && { 'redelivered as': delivery.replacedBy }),
        next: delivery.nextAttemptAt ?? 'nothing more',
        workflow: workflowIdOf(delivery),
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

export const deliveryRedeliver: Command = {
  name: 'delivery redeliver',
  summary: 'send a finished delivery again: the same event, the whole schedule',
  args: ['delivery id'],
  options: accountOption,
  run: (input) =>
    withAccount(input, async (context, accountId) => {
      const deliveryId = input.args['delivery id'] ?? '';
      const id = await redeliver(context, { accountId, deliveryId });
      return {
        json: { id, redeliveryOf: deliveryId },
        text: `${deliveryId} is sent again as ${id}`,
      };
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
      withAccount(input, async ({ db }, accountId, address) => {
        const deliveryId = input.args['delivery id'] ?? '';
        const delivery = await showDelivery(db, { accountId, deliveryId });
        const { state, finishedAt } = delivery;
        if (finishedAt) throw conflict(`The delivery is ${state} already.`);
        if (!address) throw unavailable('Temporal is not running here; start the service first.');
        // Loaded only now: the other commands need not wait for it.
        const { updateDelivery } = await import('../temporal/update-delivery.ts');
        const temporal = { address, namespace: input.config.temporalNamespace };
        const status = await updateDelivery(temporal, delivery, verb);
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
