import { within } from '../within.ts';

/** How long a part may take to answer, below what orchestrators wait for a check. */
export const CHECK_LIMIT_MS = 3_000;

/** How the worker of a process is, and whether Temporal answers it. */
export interface DeliveryCheck {
  temporal: 'ok' | 'unreachable';
  worker: 'starting' | 'running' | 'stopping' | 'failed';
}

/** While there is no worker yet, or none again. */
export const NOT_STARTED: DeliveryCheck = { temporal: 'unreachable', worker: 'starting' };

/** Whether this process does its work now, part by part. */
export interface Readiness extends Partial<DeliveryCheck> {
  ok: boolean;
  database: 'ok' | 'unreachable';
}

/** Asks each part at the same time; `checkDelivery` is undefined in a process without a worker. */
export async function checkReadiness(
  pingDatabase: () => Promise<unknown>,
  checkDelivery?: () => Promise<DeliveryCheck>,
): Promise<Readiness> {
  const [reached, delivery] = await Promise.all([answers(pingDatabase()), checkDelivery?.()]);
  const works = !delivery || (delivery.temporal === 'ok' && delivery.worker === 'running');
  return { ok: reached && works, database: reached ? 'ok' : 'unreachable', ...delivery };
}

/** Whether it answers, in time and without a fault. */
export async function answers(work: Promise<unknown>): Promise<boolean> {
  return within(CHECK_LIMIT_MS, work).then(
    () => true,
    () => false,
  );
}
