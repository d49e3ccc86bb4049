import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private key and its certificate, both PEM. */
export interface KeyAndCertificate {
  key: string;
  cert: string;
}

/** Certificates made for one test run by the `openssl` command. */
export interface TlsCertificates {
  /** The certificate of the issuing authority, PEM. */
  ca: string;
  /** A certificate for `name` issued by that authority; a negative `days` makes it expired. */
  issue(name: string, days?: number): KeyAndCertificate;
  /** A certificate for `name` that vouches for itself. */
  selfSigned(name: string): KeyAndCertificate;
}

/** Creates a certificate authority of its own; nothing is left on disk. */
export function createTlsCertificates(): TlsCertificates {
  const authority = makeCertificate('Test authority', 'basicConstraints=critical,CA:TRUE');
  return {
    ca: authority.cert,
    issue: (name, days = 30) =>
      inFolder((folder) => {
        writeFileSync(join(folder, 'ca.pem'), authority.cert);
        writeFileSync(join(folder, 'ca.key'), authority.key);
        writeFileSync(join(folder, 'extensions'), `subjectAltName=${subjectAltName(name)}\n`);
        newKey(folder);
        openssl(folder, ['req', '-new', '-key', 'key.pem', '-subj', `/CN=${name}`, '-out', 'csr']);
        const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
        const content = ['-extfile', 'extensions', '-days', String(days), '-out', 'cert.pem'];
        openssl(folder, ['x509', '-req', '-in', 'csr', ...signing, ...content]);
        return keyAndCertificate(folder);
      }),
    selfSigned: (name) => makeCertificate(name, `subjectAltName=${subjectAltName(name)}`),
  };
}

function makeCertificate(name: string, extension: string): KeyAndCertificate {
  return inFolder((folder) => {
    newKey(folder);
    const request = ['req', '-x509', '-new', '-key', 'key.pem', '-subj', `/CN=${name}`];
    openssl(folder, [...request, '-days', '30', '-addext', extension, '-out', 'cert.pem']);
    return keyAndCertificate(folder);
  });
}

function newKey(folder: string): void {
  openssl(folder, ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'key.pem']);
}

function keyAndCertificate(folder: string): KeyAndCertificate {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  return { key: read('key.pem'), cert: read('cert.pem') };
}

function subjectAltName(name: string): string {
  return /^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`;
}

function openssl(folder: string, args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'tls-certificates-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
