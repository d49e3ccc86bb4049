import type { NativeConnection } from '@temporalio/worker';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;

const INDEXED_TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KEYWORD_LIST: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

/**
 * Registers the search attributes that the namespace does not have yet; starts fail without. True
 * when it had none, so it is new, or has lost its data.
 */
export async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
): Promise<boolean> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(
    ({ name }) => !(name in customAttributes),
  );
  if (missing.length === 0) return false;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(
      missing.map(({ name, type }) => [name, INDEXED_TYPES[type]]),
    ),
  });
  return missing.length === Object.keys(SEARCH_ATTRIBUTES).length;
}
