// Why the agent of webhooks made no connection, and what it takes of an answer. Apart from the agent, because whoever writes the sentences for
// them, above all every command, need not load an HTTP client: 0.1 s of CPU.
import { isIP } from 'node:net'

/** undici caps the headers of an answer at this. */
export const ANSWER_HEADERS_LIMIT_BYTES = 16 * 1024

/** Shown to the merchant, so it does not reveal what a name of our own network resolves to. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'

  constructor(host: string) {
    super(isIP(host) === 0 ? `${host} does not lead to a public address.` : `${host} is not a public address.`)
  }
}

export class ConnectionTooSlow extends Error {
  override name = 'ConnectionTooSlow'
}
