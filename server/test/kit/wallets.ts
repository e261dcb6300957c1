// The wallets of several merchants at one network, which has one address for all: the credential in
// a call decides whose wallet it is about. Each wallet has books of its own.
import type { ConformanceNetwork, WireReaction } from '../../../simulators/src/network.ts'
import { type FetchFailure, fetchFailure } from '../../src/domain/books/statement-fetch.ts'
import type { OpenedStatement } from '../../src/operators/connector.ts'
import type { Call } from '../../src/operators/http-call.ts'
import type { ConnectDeps, OpenNetwork } from '../../src/service/connect-operators.ts'
import { heard, reactionTo } from '../networks/harness.ts'

/** A credential of the simulator, as the owner of this wallet has it. */
export const credentialOf = (credential: string, wallet: string): string =>
  `${credential}~${wallet}`

const REFUSED: WireReaction = { code: 401, body: { error: 'invalid_client' } }

/** The wallet that a call is about, and the call as its simulator knows it. */
export function walletOf(call: Call): { wallet: string | undefined; call: Call } {
  const found = Object.values(call.headers).flatMap((value) => /~([\w-]+)$/.exec(value)?.[1] ?? [])
  const headers = Object.entries(call.headers).map(([name, value]) => [
    name,
    value.replace(/~[\w-]+$/, ''),
  ])
  return { wallet: found[0], call: { ...call, headers: Object.fromEntries(headers) } }
}

/** Opens merchants' connections to these wallets, named `<connector> <wallet>`, without HTTP. */
export const openWallets =
  (wallets: ReadonlyMap<string, ConformanceNetwork>) =>
  ({ config, clock, random }: ConnectDeps): OpenNetwork =>
  ({ environment, name, connector, options, prompts, pages }) => {
    const { operatorTimeoutMs: deadlineMs } = config
    /** A download has no credential: it is from the wallet of the call before. */
    let called = ''
    const { operator, hosted, statements, test } = connector.connect(
      {
        name,
        environment,
        clock,
        random,
        deadlineMs,
        send: (call) => {
          const { wallet, call: known } = walletOf(call)
          called = `${connector.name} ${wallet}`
          const network = wallets.get(called)
          const reaction = network === undefined ? REFUSED : reactionTo(network, known)
          return heard(reaction, { clock, timeoutMs: call.timeoutMs ?? deadlineMs })
        },
        download: async (address) => downloaded(wallets.get(called), address),
        callbackUrl: (reference) =>
          `https://karba.example/operators/${environment}/${name}/callback/${reference}`,
      },
      options,
    )
    const closed = async (): Promise<void> => {}
    const connected = { environment, operator, hosted, statements, prompts, pages }
    return { connected, test, close: closed, destroy: closed }
  }

function downloaded(
  network: ConformanceNetwork | undefined,
  address: string,
): OpenedStatement | FetchFailure {
  const { pathname: path, searchParams: query } = new URL(address)
  const reaction = network?.handle({ method: 'GET', path, query, headers: {}, body: '' })
  if (reaction === undefined || !('code' in reaction) || !(reaction.body instanceof Uint8Array))
    return { ...fetchFailure('download_failed', 'no file'), isRequestGone: true }
  const bytes = reaction.body
  async function* content(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  return { is: 'ready', content: content() }
}
