import { deleteEndpoint } from '../../src/endpoints/delete-endpoint.ts';
import { pauseEndpoint } from '../../src/endpoints/pause-endpoint.ts';
import { resumeEndpoint } from '../../src/endpoints/resume-endpoint.ts';
import type { WhichEndpoint } from '../../src/endpoints/endpoint.ts';
import type { TestRecords } from './records.ts';

const VERBS = { paused: pauseEndpoint, active: resumeEndpoint, deleted: deleteEndpoint };

/** Brings an endpoint into a state as its owner would. */
export async function setEndpointState(
  { context }: TestRecords,
  { state, ...which }: WhichEndpoint & { state: keyof typeof VERBS },
): Promise<void> {
  await VERBS[state](context, which);
}
