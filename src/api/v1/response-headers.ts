/*
 * The headers of the Read API's answers, as the OpenAPI document describes them.
 */

const string = { type: 'string' } as const;

const REQUEST_ID = {
  'X-Request-Id': { description: 'The id of this request.', required: true, schema: string },
};

const QUOTA = {
  'RateLimit-Policy': {
    description: 'The rule: `"key";q=120;w=60` is 120 requests in any 60 seconds.',
    schema: string,
    example: '"key";q=120;w=60',
  },
  RateLimit: {
    description:
      'How the key stands: `r` requests are left, and the oldest of those made counts no more in `t` seconds.',
    schema: string,
    example: '"key";r=87;t=42',
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Whole seconds to wait.',
    required: true,
    schema: { type: 'integer' as const, minimum: 1 },
  },
};

const AUTHENTICATE = {
  'WWW-Authenticate': {
    description: 'Always `Bearer`.',
    required: true,
    schema: string,
  },
};

/** The headers that an answer of this status carries. */
export function headersOf(status: number) {
  if (status === 401) return { ...REQUEST_ID, ...AUTHENTICATE };
  return { ...REQUEST_ID, ...QUOTA, ...([429, 503].includes(status) && RETRY_AFTER) };
}
