import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 blocks that are private, special or not unicast (IANA registries), and one cloud's own. */
const REFUSED_IPV4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's platform services
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/** Special blocks inside 2000::/3, the only IPv6 space that is let through at all. */
const REFUSED_IPV6 = [
  ['2001::', 23], // Teredo, ORCHID, benchmarking
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which wraps any IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const refusedV4 = new BlockList();
for (const [network, bits] of REFUSED_IPV4) refusedV4.addSubnet(network, bits, 'ipv4');

const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');
const refusedV6 = new BlockList();
for (const [network, bits] of REFUSED_IPV6) refusedV6.addSubnet(network, bits, 'ipv6');

/**
 * Whether events may be sent to this address: a public unicast one, written plainly (spec §6.2:
 * private and internal addresses are refused). Whatever is not certainly public is not: text that
 * is no address, zone ids, and every IPv6 form that carries an IPv4 address inside.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !refusedV4.check(ip, 'ipv4');
  if (!isIPv6(ip) || ip.includes('%')) return false;
  return globalV6.check(ip, 'ipv6') && !refusedV6.check(ip, 'ipv6');
}
