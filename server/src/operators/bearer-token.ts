// The access token of a connection: minted once for all calls that need it, kept until shortly before its end, renewed beside the calls that still
// use it. A network may take half a minute to mint one: calls wait for it only so long, and the minting goes on for the next ones.
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorAnswer } from '../domain/operator-report.ts'

export type NoToken = Extract<OperatorAnswer, { is: 'unknown' }>

export interface MintedToken {
  token: string
  lastsMs: number
}

export interface BearerTokenDeps {
  clock: Clock
  /** One call to the network; never throws. */
  mint(): Promise<MintedToken | NoToken>
  /** How long before its end a token is renewed; a token that lasts less than twice as long is renewed after half of its life. */
  renewBeforeMs: number
  /** How long a call waits for a token before it is given up as never sent. */
  waitMs: number
}

export interface BearerToken {
  /** Never throws. */
  get(): Promise<string | NoToken>
  /** For a token that the network refused: the next call has a new one minted. One that was replaced meanwhile is left alone. */
  refused(token: string): void
}

/** After a refusal of our credentials the network is not asked again at once: it may lock us out. */
const PAUSE_AFTER_FAILURE_MS = 1_000

export function bearerToken({ clock, mint, renewBeforeMs, waitMs }: BearerTokenDeps): BearerToken {
  let current: { token: string; renewAt: number; endsAt: number } | undefined
  let minting: Promise<string | NoToken> | undefined
  let failure: { answer: NoToken; until: number } | undefined

  function mintOnce(): Promise<string | NoToken> {
    if (failure !== undefined && clock.now() < failure.until) return Promise.resolve(failure.answer)
    minting ??= mintNew().finally(() => {
      minting = undefined
    })
    return minting
  }

  async function mintNew(): Promise<string | NoToken> {
    const asked = clock.now()
    const minted = await mint()
    if ('is' in minted) {
      failure = { answer: minted, until: clock.now() + PAUSE_AFTER_FAILURE_MS }
      return minted
    }
    failure = undefined
    const { token, lastsMs } = minted
    // Its life is counted from before the call: the network's answer may have taken long.
    current = { token, renewAt: asked + Math.max(lastsMs - renewBeforeMs, lastsMs / 2), endsAt: asked + lastsMs }
    return token
  }

  const late = (): NoToken => ({
    is: 'unknown',
    why: `the network gave no access token within ${waitMs} ms`,
    neverLeft: true,
  })

  return {
    get: async () => {
      const now = clock.now()
      if (current !== undefined && now < current.endsAt) {
        if (now >= current.renewAt) void mintOnce()
        return current.token
      }
      const minted = mintOnce()
      let cancel = (): void => {}
      const deadline = new Promise<NoToken>((resolve) => {
        cancel = clock.after(waitMs, () => resolve(late()))
      })
      return Promise.race([minted, deadline]).finally(() => cancel())
    },
    refused: (token) => {
      if (current?.token === token) current = undefined
    },
  }
}
