// The simulated card and wallet provider without HTTP between, for tests on a virtual clock.
import type { Clock } from '../../src/domain/clock-and-random.ts'
import type { HostedMethodName } from '../../src/domain/payment-link.ts'
import type { HostedMethod } from '../../src/operators/hosted-method.ts'
import type { Reaction, SimulatedNetwork } from '../../src/simulator/network.ts'
import type { SimulatedProvider } from '../../src/simulator/provider.ts'
import { directLine, directOperator } from './direct-operator.ts'

/** The provider behind a line on which its answers can be lost. */
export interface ReachedProvider extends Pick<SimulatedNetwork, 'status' | 'refund'> {
  open(session: Parameters<SimulatedProvider['open']>[0]): Promise<Reaction>
  cancel(reference: string): Promise<Reaction>
}

export function directHosted(
  name: HostedMethodName,
  provider: ReachedProvider,
  clock: Clock,
  timeoutMs: number,
): Omit<HostedMethod, 'parseCallback'> {
  const perform = directLine(clock, timeoutMs)
  const network = { ...provider, request: ({ reference }: { reference: string }) => provider.status(reference) }
  return {
    ...directOperator(name, network, clock, timeoutMs),
    name,
    open: async ({ reference, amountXof, merchantName, title, returnUrl }) => {
      const opening = provider.open({ reference, method: name, amountXof, merchantName, title, returnUrl })
      const { is } = await perform(opening)
      const reaction = await opening
      if (is === 'unknown' || !('answer' in reaction)) return undefined
      return (reaction.answer as { page_url?: string }).page_url
    },
    cancel: (reference) => perform(provider.cancel(reference)),
  }
}
