/** What can be done to an account, an endpoint or a key, as the audit log names it. */
export const AUDIT_ACTIONS = [
  'account.plan_changed',
  'endpoint.created',
  'endpoint.updated',
  'endpoint.paused',
  'endpoint.resumed',
  'endpoint.deleted',
  'endpoint.tested',
  'endpoint.secret_revealed',
  'endpoint.secret_prepared',
  'endpoint.secret_switched',
  'endpoint.replay_started',
  'endpoint.replay_stopped',
  'delivery.redelivered',
  'key.created',
  'key.revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
