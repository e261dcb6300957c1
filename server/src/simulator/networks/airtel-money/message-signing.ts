// Message signing at the simulated Airtel: it gives the public half of a key pair away, and opens with the private one what it is sent.
import { constants, createDecipheriv, generateKeyPairSync, type KeyObject, privateDecrypt } from 'node:crypto'
import type { Clock } from '../../../domain/clock-and-random.ts'
import type { FaultBoard } from '../faults.ts'
import type { WireReaction, WireRequest } from '../network.ts'
import { publicKeyOf, refusal, routerRefusal } from './answers.ts'

export type Padding = 'pkcs1' | 'oaep-sha256'

export interface MessageSigningDeps {
  clock: Clock
  faults: FaultBoard
  padding: Padding
  /** Whether a call without a signature is refused. */
  isRequired: boolean
}

export interface MessageSigning {
  refuse(request: WireRequest): WireReaction | undefined
  publicKey(): WireReaction
}

/** The key of the documents' samples has 1024 bits, which are too few for OAEP with SHA-256. */
const BITS = { pkcs1: 1024, 'oaep-sha256': 2048 } as const
const FIRST_KEY_ID = 100
const KEY_LASTS_MS = 86_400_000

const PADDINGS = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  'oaep-sha256': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
} as const

export function messageSigning({ clock, faults, padding, isRequired }: MessageSigningDeps): MessageSigning {
  const makePair = () => generateKeyPairSync('rsa', { modulusLength: BITS[padding] })
  let current: { id: number; pair: ReturnType<typeof makePair> } | undefined

  /** Made when it is first needed: it takes longer than all the rest of a network. */
  function key(): NonNullable<typeof current> {
    current ??= { id: FIRST_KEY_ID, pair: makePair() }
    return current
  }

  return {
    refuse: ({ headers, body }) => {
      if (faults.strikes('signing_key_is_replaced')) current = { id: key().id + 1, pair: makePair() }
      const { 'x-signature': signature, 'x-key': sealed } = headers
      if (signature === undefined && sealed === undefined && !isRequired) return undefined
      if (signature === undefined || sealed === undefined) {
        return routerRefusal(400, 'ROUTER003', 'Missing header/body params')
      }
      if (open(key().pair.privateKey, padding, signature, sealed) === body) return undefined
      const message = 'X-signature and payload did not match'
      return refusal({ responseCode: 'DP00800001026', innerCode: '403', message, http: 403 })
    },
    publicKey: () => {
      const { id, pair } = key()
      const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
      return publicKeyOf(id, publicKey, dayFirst(clock.now() + KEY_LASTS_MS))
    },
  }
}

/** What was signed, as text; undefined when the key or the padding is another. */
function open(privateKey: KeyObject, padding: Padding, signature: string, sealed: string): string | undefined {
  try {
    const opened = privateDecrypt({ key: privateKey, ...PADDINGS[padding] }, Buffer.from(sealed, 'base64'))
    const [aesKey = '', iv = ''] = opened.toString('utf8').split(':')
    const decipher = createDecipheriv('aes-256-cbc', Buffer.from(aesKey, 'base64'), Buffer.from(iv, 'base64'))
    return Buffer.concat([decipher.update(Buffer.from(signature, 'base64')), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** As in 12-08-2024 21:29:26. */
function dayFirst(time: number): string {
  const [year, month, day, clockTime] = new Date(time).toISOString().split(/[-T.]/)
  return `${day}-${month}-${year} ${clockTime}`
}
