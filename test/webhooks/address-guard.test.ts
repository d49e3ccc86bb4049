import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/webhooks/address-guard.ts';

const F = 'ffff:ffff:ffff:ffff:ffff:ffff';

/** Each block by its first and last address, and the neighbours that are public (or none). */
const REFUSED: [first: string, last: string, before: string | null, after: string | null][] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0', '255.255.255.255', null, null],
  ['2001::', `2001:1ff:${F}`, `2000:ffff:${F}`, '2001:200::'],
  ['2001:db8::', `2001:db8:${F}`, `2001:db7:${F}`, '2001:db9::'],
  ['2002::', `2002:ffff:${F}`, `2001:ffff:${F}`, '2003::'],
  [
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:8001::',
  ],
  ['3fff::', `3fff:fff:${F}`, `3ffe:ffff:${F}`, '3fff:1000::'],
  // Everything below and above the one block that is let through.
  ['::', `1fff:ffff:${F}`, null, '2000::'],
  ['4000::', `ffff:ffff:${F}`, `3fff:ffff:${F}`, null],
];

describe('the address guard', () => {
  it.each(REFUSED)('refuses %s to %s and nothing beside', (first, last, before, after) => {
    expect(isPublicAddress(first)).toBe(false);
    expect(isPublicAddress(last)).toBe(false);
    if (before) expect(isPublicAddress(before)).toBe(true);
    if (after) expect(isPublicAddress(after)).toBe(true);
  });

  it.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2A00:1450:4001::8a'])(
    'lets %s through',
    (ip) => expect(isPublicAddress(ip)).toBe(true),
  );

  it.each([
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['unspecified, long', '0:0:0:0:0:0:0:0'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hex', '::ffff:7f00:1'],
    ['mapped loopback, long', '0:0:0:0:0:ffff:7f00:0001'],
    ['mapped public', '::ffff:8.8.8.8'],
    ['translated', '::ffff:0:7f00:1'],
    ['compatible', '::127.0.0.1'],
    ['compatible in hex', '::7f00:1'],
    ['ISATAP', '::5efe:7f00:1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::a9fe:a9fe'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:7f00:1::'],
    ['ORCHID', '2001:20::1'],
    ['benchmarking', '2001:2::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['cloud metadata', 'fd00:ec2::254'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['segment routing', '5f00::1'],
    ['multicast', 'ff02::1'],
    ['upper case', 'FE80::1'],
  ])('refuses IPv6 %s', (_name, ip) => expect(isPublicAddress(ip)).toBe(false));

  it.each([
    '',
    ' ',
    'example.com',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '010.8.8.8',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8.',
    '8.8.8',
    '8.8.8.8.8',
    '8.8.8.256',
    '8.8.8.8/8',
    '8.8.8.8:443',
    '８.8.8.8',
    '[2606:4700:4700::1111]',
    '2606:4700:4700:::1111',
    '2606:4700:4700::1111/64',
  ])('refuses what is no plain address: "%s"', (ip) => expect(isPublicAddress(ip)).toBe(false));
});
