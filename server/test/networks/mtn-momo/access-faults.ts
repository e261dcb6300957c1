// Faults of MTN MoMo before a request is looked at: tokens, credentials and the gateway.
import type { FaultCase } from '../fault-case.ts'
import { approve, both, laterOn, MINUTE_MS, off, on, SLOW_PAYER, SUCCEEDED, UNDECIDED } from './fault-acts.ts'

export const ACCESS_FAULTS: readonly FaultCase[] = [
  {
    fault: 15,
    about: 'ends a token before its time',
    arrange: on('forgets_tokens', 1),
    forMs: MINUTE_MS,
    expect: SUCCEEDED,
  },
  {
    fault: 15,
    about: 'gives tokens for three minutes, as text',
    arrange: on('short_tokens'),
    msisdn: '97000008',
    ...laterOn([10 * MINUTE_MS, approve]),
    forMs: 12 * MINUTE_MS,
    expect: SUCCEEDED,
  },
  {
    fault: 16,
    about: 'ends a token as soon as there is a new one',
    arrange: both(on('new_token_ends_the_old'), on('short_tokens')),
    msisdn: '97000008',
    ...laterOn([10 * MINUTE_MS, approve]),
    forMs: 12 * MINUTE_MS,
    expect: SUCCEEDED,
  },
  {
    fault: 17,
    about: 'refuses our credentials',
    withoutToken: true,
    arrange: on('token_refused'),
    forMs: 30 * MINUTE_MS,
    expect: { ...UNDECIDED, misconfigured: true },
  },
  {
    fault: 17,
    about: 'refuses our credentials until somebody has mended them',
    withoutToken: true,
    arrange: on('token_refused'),
    ...laterOn([2 * MINUTE_MS, off('token_refused')]),
    forMs: 4 * MINUTE_MS,
    expect: { ...SUCCEEDED, misconfigured: true },
  },
  {
    fault: 17,
    about: 'answers the token call with 500 for a minute',
    arrange: on('token_500'),
    ...laterOn([MINUTE_MS, off('token_500')]),
    forMs: 3 * MINUTE_MS,
    expect: SUCCEEDED,
  },
  {
    fault: 18,
    about: 'takes 20 seconds for a token',
    arrange: on('slow_token', 1),
    forMs: 2 * MINUTE_MS,
    expect: SUCCEEDED,
  },
  {
    fault: 19,
    about: 'has a gateway that answers with a 403 page',
    arrange: on('gateway_403_page'),
    forMs: 5 * MINUTE_MS,
    expect: { ...UNDECIDED, misconfigured: true },
  },
  {
    fault: 19,
    about: 'has a gateway that says 404 for twenty minutes, about an address and not about the payment',
    msisdn: SLOW_PAYER,
    ...laterOn([1_000, on('gateway_404')], [21 * MINUTE_MS, off('gateway_404')]),
    forMs: 25 * MINUTE_MS,
    expect: { ...SUCCEEDED, misconfigured: true },
  },
  {
    fault: 20,
    about: 'refuses a token call without X-Target-Environment, which we send with it',
    forMs: MINUTE_MS,
    expect: SUCCEEDED,
  },
]
