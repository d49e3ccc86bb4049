import { createRoute, z, type RouteConfig } from '@hono/zod-openapi';
import { headersOf } from './response-headers.ts';
import { errorAnswer } from './schemas.ts';

/** The groups that the reference shows routes in. */
export const TAGS = {
  Connection: 'Whether a key is good, and whose it is.',
  Sources: 'What leads are read through: lists, farms and saved searches.',
  Leads: 'Parcels with their score, and the contacts that the account has bought.',
  Deals: "The account's pipeline.",
  Orders: 'Skip traces and postcards.',
  Events: 'What webhook endpoints receive.',
} as const;

/** What a route can answer besides its success, by status; the `error` codes are stable. */
const FAILURES = {
  400: ['bad_request', 'A parameter is wrong; the message says which.'],
  401: ['unauthorized', 'The key is missing, unknown or revoked.'],
  403: ['pro_required', "The key's account is on the Free plan (`pro_required`)."],
  404: ['not_found', 'No such thing on this account.'],
  422: ['unreplayable', 'A saved search that cannot be run again; it has to be saved anew.'],
  429: ['rate_limited', 'More than 120 requests in 60 seconds; Retry-After says how long to wait.'],
  500: ['internal', 'A fault of the service; quote `request_id` when you report it.'],
  503: ['unavailable', 'The service cannot answer at the moment; try again.'],
} as const;

type Failure = keyof typeof FAILURES;
type RouteFailure = Exclude<Failure, 401 | 429 | 500 | 503>;

/** 403 of the routes on which lead types above the plan can be asked for. */
const UPGRADE =
  'The account is on the Free plan (`pro_required`), or what was asked for uses lead types above its plan (`upgrade_required`, with `required_plan`).';

/** Describes one route of the Read API: a GET with a key, and one shape of success. */
export function readRoute<
  Path extends string,
  Answer extends z.ZodType,
  Query extends z.ZodObject = z.ZodObject<Record<string, never>, z.core.$strict>,
  Params extends z.ZodObject | undefined = undefined,
>(description: {
  path: Path;
  operationId: string;
  tag: keyof typeof TAGS;
  summary: string;
  details?: string;
  answer: Answer;
  example: z.input<Answer>;
  query?: Query;
  params?: Params;
  failures?: readonly RouteFailure[];
}) {
  const { path, operationId, tag, summary, details, answer, example } = description;
  const { failures = [] } = description;
  const query = (description.query ?? z.strictObject({})) as Query;
  const statuses = [...new Set([400, 401, 403, 429, 500, 503, ...failures] as const)].sort();
  const upgrades = failures.includes(403);
  return createRoute({
    method: 'get',
    path,
    operationId,
    tags: [tag],
    summary,
    ...(details !== undefined && { description: details }),
    security: [{ key: [] }],
    request: {
      query,
      ...(description.params && { params: description.params }),
    } as { query: Query; params: Params extends z.ZodObject ? Params : never },
    responses: {
      200: {
        description: 'Success.',
        headers: headersOf(200),
        content: { 'application/json': { schema: answer, example } },
      },
      ...(Object.fromEntries(
        statuses.map((status) => [status, failure(status, upgrades)]),
      ) as Record<never, never>),
    },
  } satisfies RouteConfig & { path: Path });
}

const ABOVE_PLAN = 'lead_type: probate is part of the elite plan.';
const ID = { request_id: 'req_5f0c1e7a9b3d4c2e8a6f7b1d0e9c3a55' };

function failure(status: Failure, upgrades: boolean) {
  const [error, text] = FAILURES[status];
  const description = status === 403 && upgrades ? UPGRADE : text;
  const example =
    status === 403 && upgrades
      ? { error: 'upgrade_required', message: ABOVE_PLAN, required_plan: 'elite' as const, ...ID }
      : { error, message: text, ...ID };
  return {
    description,
    headers: headersOf(status),
    content: { 'application/json': { schema: errorAnswer, example } },
  };
}
