import type { ServerResponse } from 'node:http';
import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { Database } from '../../src/db/client.ts';
import { createStack } from '../../src/stack.ts';
import { stateQuery, type DeliveryStatus } from '../../workflows/contract.ts';
import { deliveryWorkflowId } from '../../src/domain/workflow-id.ts';
import type { deliverEvent } from '../../workflows/index.ts';
import { eventually } from './customer.ts';
import { startDelivering, type Delivering } from './delivering.ts';
import { startTestReceiver, type Received } from './receiver.ts';
import { createTestRecords, type TestRecords } from './records.ts';

/** One URL of the receiver, with an answer of its own. */
export interface Hook {
  readonly url: string;
  /** What has come to this URL so far. */
  readonly received: readonly Received[];
  /** How many requests wait for their answer. */
  readonly open: number;
  answer: Answer;
}

export type Answer = (response: ServerResponse, request: Received) => void;

/** All of the service on a database of its own, and receivers to send to. */
export interface Scene {
  records: TestRecords;
  delivering: Delivering;
  taskQueue: string;
  /** A new URL to send to; 200 unless told otherwise. */
  newHook(answer?: Answer): Hook;
  workflowOf(eventId: string): WorkflowHandle<typeof deliverEvent>;
  /** What the server tells of an event's workflow, once there is one. */
  describe(eventId: string): Promise<WorkflowExecutionDescription>;
  /** Waits until the state query of an event's workflow answers as told. */
  statusesWhen(
    eventId: string,
    fits: (statuses: DeliveryStatus[]) => boolean,
  ): Promise<DeliveryStatus[]>;
  /** Waits until a delivery of an event waits for its retry. */
  waitingForRetry(eventId: string): Promise<DeliveryStatus>;
  /** Waits until the workflow of an event completes; rejects when it fails. */
  completed(eventId: string): Promise<DeliveryStatus[]>;
  close(): Promise<void>;
}

export interface SceneOptions {
  /** Origins that are let through besides the receiver's own. */
  origins?: string[];
  /** Opens the database for the service, when that is to have connections of its own. */
  openDatabase?: (url: string) => Promise<Database>;
}

/** Brings a scene up. */
export async function startScene(
  env: Record<string, string> = {},
  options: SceneOptions = {},
): Promise<Scene> {
  const stack = createStack();
  const records = await createTestRecords();
  stack.push(() => records.close());
  const receiver = await startTestReceiver();
  stack.push(() => receiver.close());
  const hooks = new Map<string, Hook & { open: number }>();
  receiver.answer = (request, response) => {
    const hook = hooks.get(request.path);
    if (!hook) return void response.writeHead(404).end();
    hook.open += 1;
    response.on('close', () => (hook.open -= 1));
    hook.answer(response, request);
  };
  const database = await options.openDatabase?.(records.url);
  stack.push(async () => database?.close());
  const delivering = await startDelivering(records, {
    origins: [receiver.origin, ...(options.origins ?? [])],
    env,
    ...(database && { database }),
  });
  stack.push(() => delivering.stop());
  const workflowOf = (eventId: string) =>
    delivering.client.workflow.getHandle<typeof deliverEvent>(deliveryWorkflowId(eventId));
  // Until the relay has started it there is no workflow.
  const statusesWhen: Scene['statusesWhen'] = (eventId, fits) =>
    eventually(async () => {
      const all = await workflowOf(eventId)
        .query(stateQuery)
        .catch(() => undefined);
      return all && fits(all) ? all : undefined;
    });
  return {
    records,
    delivering,
    taskQueue: delivering.taskQueue,
    workflowOf,
    newHook(answer = status(200)) {
      const path = `/hook-${hooks.size + 1}`;
      const hook = {
        url: receiver.origin + path,
        get received() {
          return receiver.received.filter((request) => request.path === path);
        },
        open: 0,
        answer,
      };
      hooks.set(path, hook);
      return hook;
    },
    async describe(eventId) {
      await statusesWhen(eventId, () => true);
      return workflowOf(eventId).describe();
    },
    statusesWhen,
    async waitingForRetry(eventId) {
      const isWaiting = ({ nextAttemptAt }: DeliveryStatus) => nextAttemptAt !== null;
      const [waiting] = (await statusesWhen(eventId, (all) => all.some(isWaiting))).filter(
        isWaiting,
      );
      return waiting!;
    },
    async completed(eventId) {
      await statusesWhen(eventId, () => true);
      return workflowOf(eventId).result();
    },
    close: () => stack.close(),
  };
}

/** Answers every request with this status. */
export function status(code: number, body = ''): Answer {
  return (response) => void response.writeHead(code).end(body);
}

/** Answers the first requests with these statuses, in turn, and all further ones with the last. */
export function statuses(...codes: number[]): Answer {
  let count = 0;
  return (response, request) => {
    const code = codes[Math.min(count, codes.length - 1)] ?? 200;
    count += 1;
    status(code)(response, request);
  };
}

/** Never answers. */
export const hang: Answer = () => undefined;
