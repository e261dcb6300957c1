// The promises of the service, each with the tests that hold it. A promise without tests is not kept: it says why.

export interface Promised {
  number: number
  about: string
  /** Files under server/test, of which only the tests with this in their title are run; all of them without a title. */
  tests: readonly [file: string, title?: string][]
  /** Why it cannot be shown yet. */
  notYet?: string
}

export const PROMISES: readonly Promised[] = [
  {
    number: 1,
    about: 'kill -9 under load: what was answered 200 is there, once, with its event, which is delivered',
    tests: [['processes/kill'], ['processes/webhook-kill']],
  },
  {
    number: 2,
    about: 'PostgreSQL killed under load: 503 meanwhile, nothing lost, nobody restarts anything',
    tests: [['processes/postgres-away'], ['flows/locked-table']],
  },
  {
    number: 3,
    about: 'an answer cut off: the retry is told the truth, and there is one payment',
    tests: [['flows/lost-answer'], ['../../sdk/test/lost-answers']],
  },
  {
    number: 4,
    about: '200 creates at once with one transaction_id: one 200, 199 × 422',
    tests: [['flows/one-winner']],
  },
  {
    number: 5,
    about: 'an operator that goes silent after debiting: pending, then settled within 60 s of its return',
    tests: [['flows/scenarios', 'promise 5'], ['flows/operator-down'], ['flows/back-pressure']],
  },
  {
    number: 6,
    about: 'callbacks early, late, twice, in conflict, forged: one move, one event',
    tests: [['flows/callbacks', 'promise 6']],
  },
  {
    number: 7,
    about: 'two workers on one database: nothing handed over or delivered twice',
    tests: [['processes/settling', 'promise 7'], ['webhooks/delivery-workers'], ['store/claims'], ['flows/backlog']],
  },
  {
    number: 8,
    about: 'a full disk: 503, nothing acknowledged, and on again with room',
    tests: [['processes/full-disk']],
  },
  {
    number: 9,
    about: 'a receiver down for a day: attempts at their times, everything delivered',
    tests: [['webhooks/delivery-retries']],
  },
  {
    number: 10,
    about: 'one of 100 endpoints hangs: the others do not feel it',
    tests: [['webhooks/delivery-queues']],
  },
  {
    number: 11,
    about: 'hostile receivers: the attempt ends within 10 s, 64 KiB kept, memory flat',
    tests: [['webhooks/hostile-receivers']],
  },
  {
    number: 12,
    about: 'forbidden addresses and DNS that changes its mind: not one connection',
    tests: [['webhooks/safe-address'], ['webhooks/guarded-agent']],
  },
  {
    number: 13,
    about: 'the events of one payment reach an endpoint in order',
    tests: [['webhooks/delivery-order']],
  },
  {
    number: 14,
    about: 'every signature is verified by standardwebhooks, and no changed bit is',
    tests: [['webhooks/sign']],
  },
  { number: 15, about: 'every head of a request gets the answer of D-01', tests: [['contract/head-table']] },
  {
    number: 16,
    about: 'generated bad requests: no 5xx, no answer in another shape',
    tests: [['contract/fuzz'], ['links/order-fuzz']],
  },
  {
    number: 17,
    about: 'ids of one account with another’s key: always the same 404',
    tests: [['contract/isolation'], ['flows/isolation-of-actions']],
  },
  {
    number: 18,
    about: 'slow clients, idle connections, floods of headers: a healthy client’s p99 stays below twice',
    tests: [['processes/beside-a-crowd', 'promise 18'], ['flows/connections']],
  },
  {
    number: 19,
    about: 'no secret or card number in logs, errors, metrics or webhooks, nor unmasked in the database',
    tests: [
      ['flows/canaries', 'promise 19'],
      ['webhooks/delivery-secrets', 'no secret'],
      ['processes/start-and-stop', 'secret'],
    ],
  },
  {
    number: 20,
    about: 'a dump holds no usable key, password or session; a revoked key is refused within one second',
    tests: [['flows/keys'], ['dashboard/attacks', 'keeps nothing usable']],
  },
  {
    number: 21,
    about: 'the dashboard resists what pages are attacked with',
    tests: [['dashboard/attacks'], ['dashboard/sign-in'], ['dashboard/routes']],
  },
  {
    number: 22,
    about: 'an altered, removed or moved row of the audit log is named',
    tests: [['store/audit-chain']],
  },
  {
    number: 23,
    about: 'SIGTERM under load: what was acknowledged is sent exactly once',
    tests: [['processes/stop-under-load']],
  },
  {
    number: 24,
    about: 'a frozen process, silent connections: the others go on within 15 s, nothing twice',
    tests: [['processes/frozen']],
  },
  {
    number: 25,
    about: 'one of three clocks off: nothing told failed that was debited, nothing sent twice',
    tests: [['processes/skewed-clocks'], ['flows/clock-steps']],
  },
  {
    number: 26,
    about: 'money that moves late: each told, or listed by its own row within 72 h',
    tests: [['simulation/simulation'], ['flows/late-money']],
  },
  {
    number: 27,
    about: 'refunds slower than anything, two workers: one request each',
    tests: [['flows/slow-refunds']],
  },
  {
    number: 28,
    about: 'fail-over to a synchronous standby: nothing lost, nothing twice, on within 15 s',
    tests: [['processes/fail-over']],
  },
  {
    number: 29,
    about: '5,000 reads that wait for an outcome: creates go on, who leaves is forgotten, a stop answers all at once',
    tests: [['additions/waiting']],
  },
  {
    number: 30,
    about: 'however a network fails in the field: told or listed for a person, never debited twice, on both stores',
    tests: [
      ['networks/airtel-money/faults'],
      ['networks/fedapay/faults'],
      ['networks/mtn-momo/faults'],
      ['networks/pawapay/faults'],
    ],
  },
  {
    number: 31,
    about:
      'lost answer × lagging look-up × callback never, late or early, on each connector: no debit is reported as failed without being corrected or listed',
    tests: [['networks/lost-answers']],
  },
  {
    number: 35,
    about:
      'an hour of mixed load with dead receivers, long polls, half requests, dashboards: memory, descriptors, files flat',
    tests: [['soak/soak']],
  },
]
