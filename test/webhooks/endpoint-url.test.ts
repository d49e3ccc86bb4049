import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { parseEndpointUrl, type EndpointUrlPolicy } from '../../src/webhooks/endpoint-url.ts';

const POLICY: EndpointUrlPolicy = {
  devOrigins: [],
  ownHosts: ['leads.example.net', 'api.example.net:8443'],
};

/** The message of the refusal; undefined when the URL is accepted. */
function refusal(raw: string, policy = POLICY): string | undefined {
  try {
    parseEndpointUrl(raw, policy);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([error.code, error.field]).toEqual(['bad_request', 'url']);
    return error.message;
  }
}

describe('endpoint URLs that are accepted', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://hooks.example.com/a/b?c=d&e=%20', 'https://hooks.example.com/a/b?c=d&e=%20'],
    ['HTTPS://Hooks.Example.COM/A', 'https://hooks.example.com/A'],
    ['https://hooks.example.com:443/', 'https://hooks.example.com/'],
    ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
    ['https://hooks.example.com:65535/', 'https://hooks.example.com:65535/'],
    ['https://hooks.example.com./x', 'https://hooks.example.com/x'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://my_host.example.com/', 'https://my_host.example.com/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ['https://api.example.net/', 'https://api.example.net/'],
  ])('%s', (raw, href) => expect(parseEndpointUrl(raw, POLICY).href).toBe(href));

  it('at the longest length', () => {
    const start = 'https://hooks.example.com/';
    expect(refusal(start + 'a'.repeat(2_048 - start.length))).toBeUndefined();
    expect(refusal(start + 'a'.repeat(2_049 - start.length))).toMatch(/2048 characters/);
    // Encoded, each of these takes six characters.
    expect(refusal(start + 'é'.repeat(400))).toMatch(/2048 characters/);
  });
});

const PUBLIC_HOST = /must lead to a public host/;

describe('endpoint URLs that are refused', () => {
  it.each([
    ['http://hooks.example.com/', /https:\/\//],
    ['ftp://hooks.example.com/', /https:\/\//],
    ['file:///etc/passwd', /https:\/\//],
    ['data:text/plain,hello', /https:\/\//],
    ['javascript:alert(1)', /https:\/\//],
    ['wss://hooks.example.com/', /https:\/\//],
    ['', /not a complete URL/],
    ['hooks.example.com/x', /not a complete URL/],
    ['//hooks.example.com/x', /not a complete URL/],
    ['https://', /not a complete URL/],
    ['https://hooks.example.com:99999/', /not a complete URL/],
    ['https://[fe80::1%25eth0]/', /not a complete URL/],
    ['https://user:pass@hooks.example.com/', /user name or password/],
    ['https://user@hooks.example.com/', /user name or password/],
    ['https://:pass@hooks.example.com/', /user name or password/],
    ['https://good.example.com@evil.example.org/', /user name or password/],
    ['https://hooks.example.com/#part', /fragment/],
    ['https://hooks.example.com/#', /fragment/],
    ['https://good.example.com\\@evil.example.org/', /backslash/],
    ['https:\\\\hooks.example.com/', /backslash/],
    [' https://hooks.example.com/', /spaces/],
    ['https://hooks.example.com/ ', /spaces/],
    ['https://hooks.example.com/a b', /spaces/],
    ['https://hooks.example.com/\u00a0', /spaces/],
    ['https://hooks.example.com/\u3000', /spaces/],
    ['https://hooks.example.com/\r\nX-Evil: 1', /control/],
    ['https://hooks.exa\tmple.com/', /control/],
    ['https://hooks.exa\nmple.com/', /control/],
    ['https://hooks.example.com/\0', /control/],
    ['https://hooks.example.com/\x7f', /control/],
    ['https://hooks\u00ad.example.com/', /control/],
    ['https://hooks\u200b.example.com/', /control/],
    ['https://hooks\u202e.example.com/', /control/],
    ['https://hooks.example.com/\ud800', /control/],
    ['https://hooks.example.com:25/', /port 25/],
    ['https://hooks.example.com:80/', /port 80/],
    ['https://hooks.example.com:22/', /port 22/],
    ['https://hooks.example.com:0/', /port 0/],
    ['https://hooks.example.com:1023/', /port 1023/],
    ['https://hooks.example.com:6000/', /port 6000/],
    ['https://hooks.example.com:6667/', /port 6667/],
    ['https://hooks.example.com:10080/', /port 10080/],
    ['https://localhost/', PUBLIC_HOST],
    ['https://localhost./', PUBLIC_HOST],
    ['https://localhost../', PUBLIC_HOST],
    ['https://LOCALHOST/', PUBLIC_HOST],
    ['https://a.localhost/', PUBLIC_HOST],
    ['https://printer.local/', PUBLIC_HOST],
    ['https://printer.local./', PUBLIC_HOST],
    ['https://db.internal/', PUBLIC_HOST],
    ['https://metadata.google.internal/', PUBLIC_HOST],
    ['https://router.home.arpa/', PUBLIC_HOST],
    ['https://home.arpa/', PUBLIC_HOST],
    ['https://abc.onion/', PUBLIC_HOST],
    ['https://a.test/', PUBLIC_HOST],
    ['https://a.invalid/', PUBLIC_HOST],
    ['https://localhost.localdomain/', PUBLIC_HOST],
    ['https://intranet/', PUBLIC_HOST],
    ['https://com./', PUBLIC_HOST],
    ['https://metadata.goog/', PUBLIC_HOST],
    ['https://metadata.tencentyun.com/', PUBLIC_HOST],
    ['https://./', PUBLIC_HOST],
    ['https://a..example.com/', PUBLIC_HOST],
    ['https://-a.example.com/', PUBLIC_HOST],
    [`https://${'a'.repeat(64)}.example.com/`, PUBLIC_HOST],
    [`https://${'a.'.repeat(130)}example.com/`, PUBLIC_HOST],
    ['https://leads.example.net/', /this service/],
    ['https://LEADS.example.net./', /this service/],
    ['https://leads.example.net:8443/', /this service/],
    ['https://api.example.net:8443/', /this service/],
  ])('%j', (raw, message) => expect(refusal(raw)).toMatch(message));
});

describe('origins let through for development', () => {
  const policy = { devOrigins: ['http://127.0.0.1:9000'], ownHosts: [] };

  it('pass with any path', () => {
    expect(refusal('http://127.0.0.1:9000/hook?x=1', policy)).toBeUndefined();
  });

  it.each([
    'http://127.0.0.1:9001/',
    'https://127.0.0.1:9000/',
    'http://127.0.0.1/',
    'http://localhost:9000/',
    'http://127.0.0.1:9000@evil.example.com/',
    'http://user:pass@127.0.0.1:9000/',
    'http://127.0.0.1:9000/#x',
    'http://127.0.0.1:9000/a b',
  ])('do not cover %s', (raw) => expect(refusal(raw, policy)).toBeDefined());
});
