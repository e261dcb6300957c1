// Self-signed certificates, because Node makes none and a committed one would be a committed
// private key. Just enough of X.509 (RFC 5280) for a TLS client to check a name: version 3, P-256,
// one subjectAltName.
import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'

const DAY_MS = 24 * 3_600_000
let made = 0

/**
 * Writes the key and the certificate of a name or an IPv4 address to files, and returns their
 * paths.
 */
export function makeCertificate(folder: string, name: string): { key: string; cert: string } {
  const texts = certificateOf(name)
  const paths = { key: join(folder, 'privkey.pem'), cert: join(folder, 'fullchain.pem') }
  writeFileSync(paths.key, texts.key, { mode: 0o600 })
  writeFileSync(paths.cert, texts.cert)
  return paths
}

/** As PEM texts. */
export function certificateOf(
  host: string,
  { expired = false } = {},
): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signedWith = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  // Each has its own name: with one name for all, another certificate would be taken for the issuer
  // of this one.
  const name = sequence(
    der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(`Karba test ${++made}`)))),
  ) // commonName
  const now = Date.now()
  const until = expired ? now - DAY_MS : now + 90 * DAY_MS
  const address = isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host))
  const altName = sequence(oid('551d11'), der(0x04, sequence(address)))
  const content = sequence(
    der(0xa0, integer(2)),
    integer(1),
    signedWith,
    name,
    sequence(utcTime(now - 2 * DAY_MS), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName)),
  )
  const certificate = sequence(
    content,
    signedWith,
    der(0x03, Buffer.from([0]), sign('sha256', content, privateKey)),
  )
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  return Buffer.concat([Buffer.from([tag, ...sizeOf(length)]), content])
}

function sizeOf(length: number): number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]))

/** YYMMDDhhmmssZ */
function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
