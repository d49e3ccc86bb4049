import { asyncLocalStorage } from '@temporalio/activity';
import {
  traceChunk,
  type TraceChunkInput,
  type TraceContext,
} from '../src/skip-trace/trace-chunk.ts';
import type { TraceChunk } from '../workflows/contract.ts';

/** Traces the next orders of a batch. */
export function createTraceChunk(context: TraceContext) {
  return (input: TraceChunkInput): Promise<TraceChunk> =>
    traceChunk(context, input, asyncLocalStorage.getStore()?.cancellationSignal);
}
