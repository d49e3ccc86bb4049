import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { inject } from 'vitest';
import { createLog } from '../../src/log.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { timeSkippingServerPath } from './time-skipping-server.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;

const INDEXED_TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

/**
 * A Temporal server on which time passes only as fast as workflows wait for it, with our search
 * attributes. It cannot list them, so the service's own registration does not work here.
 */
export async function startSkippingTime(): Promise<TestWorkflowEnvironment> {
  installTemporalRuntime(createLog('silent'));
  const path = await timeSkippingServerPath(inject('cacheDir'));
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  await environment.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(
      Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [name, INDEXED_TYPES[type]]),
    ),
  });
  return environment;
}
