/** `stopped`: before its end, because the endpoint was paused or deleted, or somebody ended it. */
export const REPLAY_STATES = ['running', 'done', 'stopped'] as const;
export type ReplayState = (typeof REPLAY_STATES)[number];
