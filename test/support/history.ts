import { tsToMs } from '@temporalio/common/lib/time.js';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';

export type HistoryEvent = NonNullable<History['events']>[number];

/** When the server wrote an event, by its own clock, in milliseconds. */
export function eventTimeMs(event: HistoryEvent): number {
  return tsToMs(event.eventTime ?? undefined);
}

/** How long the timers of a workflow were set to run, the first one first, in milliseconds. */
export function timersOf(history: History): number[] {
  return (history.events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [tsToMs(timer.startToFireTimeout ?? undefined)] : [],
  );
}

/** When the attempts of a workflow with one branch were made, by the server's clock. */
export function attemptTimesOf(history: History): number[] {
  return (history.events ?? [])
    .filter(
      ({
        activityTaskScheduledEventAttributes: scheduled,
        markerRecordedEventAttributes: marker,
      }) =>
        scheduled?.activityType?.name === 'attemptDelivery' ||
        marker?.markerName === 'core_local_activity',
    )
    .map(eventTimeMs);
}

/**
 * Everything readable in a history, in its JSON form, payloads decoded: what an operator, or
 * anybody who may read Temporal's database, gets to see.
 */
export function readableText(history: unknown): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value, Buffer.from(value, 'base64').toString());
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        texts.push(key);
        collect(inner);
      }
    }
  };
  collect(history);
  return texts.join('\n');
}

const HistoryMessage = proto.temporal.api.history.v1.History;

/** A history as plain JSON, payloads in base64. */
export function historyToJson(history: History): unknown {
  const message = HistoryMessage.fromObject(history);
  return HistoryMessage.toObject(message, { enums: String, longs: String, bytes: String });
}

/** The reverse of {@link historyToJson}. */
export function historyFromJson(json: unknown): History {
  return HistoryMessage.fromObject(json as Record<string, unknown>);
}
