import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The first byte names the layout: nonce (12 bytes), tag (16 bytes), ciphertext. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

/** A sealed secret that cannot be opened: wrong key, wrong endpoint, damaged or unknown layout. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
}

/**
 * Encrypts a signing secret for storage with AES-256-GCM under a 32-byte key. The endpoint's id
 * is bound in, so bytes copied to another endpoint's row do not open there.
 */
export function sealSecret(secret: string, endpointId: string, key: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', checkedKey(key), nonce);
  cipher.setAAD(additionalData(endpointId));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts what {@link sealSecret} made; throws {@link SealedSecretError} when it does not fit. */
export function openSecret(sealed: Uint8Array, endpointId: string, key: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) {
    throw new SealedSecretError('The stored signing secret has an unknown format.');
  }
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', checkedKey(key), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additionalData(endpointId));
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    const plain = [decipher.update(bytes.subarray(HEADER_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  } catch {
    throw new SealedSecretError(
      'The stored signing secret does not open: the key is another one, or the bytes belong to another endpoint.',
    );
  }
}

/** The version is authenticated too, so that a later layout cannot be passed off as this one. */
function additionalData(endpointId: string): Buffer {
  return Buffer.from(`lead-events/signing-secret/v${VERSION}/${endpointId}`, 'utf8');
}

function checkedKey(key: Uint8Array): Uint8Array {
  if (key.length !== KEY_BYTES) {
    throw new RangeError(`The encryption key must have ${KEY_BYTES} bytes, not ${key.length}.`);
  }
  return key;
}
