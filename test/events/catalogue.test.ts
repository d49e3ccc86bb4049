import { expect, test } from 'vitest';
import { EVENT_CATALOGUE, EVENT_TYPES } from '../../src/events/catalogue.ts';
import { encodeBody, sampleEvent } from '../../src/events/envelope.ts';

test('has the seven event types (spec §6.1)', () => {
  expect(EVENT_TYPES.toSorted()).toEqual([
    'deal.closed',
    'deal.status_changed',
    'lead.entered_hot',
    'lead.score_updated',
    'lead.skiptrace.completed',
    'postcard.status_changed',
    'rescore.summary',
  ]);
});

test.each(EVENT_TYPES)('%s: the sample fits the schema and is marked (spec §6.2)', (type) => {
  const sample = sampleEvent(type, 'acct_1');
  expect(EVENT_CATALOGUE[type].data.parse(sample.data)).toEqual(sample.data);
  expect(sample.id).toMatch(/^evt_sample_/);
  expect(sample.data).toMatchObject({ fixture: true });
});

test.each(EVENT_TYPES)(
  '%s: every field is snake_case and none is unknown to the schema',
  (type) => {
    const { data, sample } = EVENT_CATALOGUE[type];
    for (const field of Object.keys(data.shape)) expect(field).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(data.safeParse({ ...sample, surprise: 1 }).success).toBe(false);
  },
);

test('a body is the envelope in UTF-8, in a fixed order of fields (spec §2.1)', () => {
  const sample = { ...sampleEvent('deal.status_changed', 'acct_1'), extra: 'not sent' };
  sample.data.buyer_name = 'Zoë Müller — 東京';
  const body = encodeBody(sample);
  expect(Object.keys(JSON.parse(body.toString('utf8')) as object)).toEqual([
    ...['id', 'type', 'created_at', 'user_id', 'data'],
  ]);
  expect(body.includes(Buffer.from('Zoë Müller — 東京', 'utf8'))).toBe(true);
});
