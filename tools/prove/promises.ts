// The promises of the service, each with the tests that check it.

export interface Promised {
  number: number
  about: string
  /** Files under server/test; with a title, only the tests whose title contains it. */
  tests: readonly [file: string, title?: string][]
}

export const PROMISES: readonly Promised[] = [
  {
    number: 1,
    about:
      'kill -9 under load: every payment answered with 200 exists once, and its event is delivered',
    tests: [['processes/kill'], ['links/late-reports', 'crashes']],
  },
  {
    number: 2,
    about: 'PostgreSQL killed under load: 503 meanwhile, nothing lost, recovery without a restart',
    tests: [
      ['processes/outages', 'promise 2:'],
      ['store/postgres', 'locked table'],
    ],
  },
  {
    number: 3,
    about: 'lost answer to a create: the retry gets the true answer, and one payment exists',
    tests: [['flows/lost-answer'], ['../../sdk/test/lost-answers']],
  },
  {
    number: 4,
    about: '200 concurrent creates with one transaction_id: one 200, 199 × 422',
    tests: [['flows/one-winner']],
  },
  {
    number: 5,
    about: 'operator silent after a debit: pending, then settled within 60 s of its return',
    tests: [['flows/payments', 'promise 5'], ['flows/back-pressure']],
  },
  {
    number: 6,
    about: 'callbacks early, late, repeated, contradictory or forged: one move, one event',
    tests: [['flows/callbacks', 'promise 6']],
  },
  {
    number: 7,
    about: 'two workers on one database: nothing sent or delivered twice',
    tests: [
      ['processes/settling', 'promise 7'],
      ['webhooks/queues', 'webhook workers'],
      ['store/claims', 'claims'],
      ['flows/back-pressure', 'backlog'],
    ],
  },
  {
    number: 8,
    about: 'full disk: 503, nothing acknowledged, recovery once there is room',
    tests: [['processes/disk', 'promise 8']],
  },
  {
    number: 9,
    about: 'receiver down for a day: attempts on schedule, every event delivered',
    tests: [['webhooks/retries', 'webhook retries']],
  },
  {
    number: 10,
    about: 'one of 100 endpoints hangs: no delay for the others',
    tests: [['webhooks/queues', 'webhook queues']],
  },
  {
    number: 11,
    about: 'hostile receivers: the attempt ends within 10 s, keeps 64 KiB, memory stays flat',
    tests: [['webhooks/send', 'promise 11']],
  },
  {
    number: 12,
    about: 'forbidden addresses and DNS rebinding: no connection',
    tests: [['webhooks/safe-address']],
  },
  {
    number: 13,
    about: 'events of one payment reach an endpoint in order',
    tests: [['webhooks/retries', 'webhook order']],
  },
  {
    number: 14,
    about: 'standardwebhooks verifies every signature and rejects every changed bit',
    tests: [['webhooks/send', 'promise 14']],
  },
  {
    number: 15,
    about: 'every combination of headers gets the answer of the contract',
    tests: [['contract/head-table']],
  },
  {
    number: 16,
    about: 'generated bad requests: no 5xx, no answer in another shape',
    tests: [
      ['contract/fuzz', 'promise 16'],
      ['links/creating', 'promise 16'],
    ],
  },
  {
    number: 17,
    about: 'another account’s ids: always the same 404',
    tests: [['contract/reading', 'promise 17'], ['flows/isolation-of-actions']],
  },
  {
    number: 18,
    about:
      'slow clients, idle connections, header floods: a healthy client’s p99 less than doubles',
    tests: [
      ['processes/bad-clients', 'promise 18'],
      ['flows/edge', 'connections'],
    ],
  },
  {
    number: 19,
    about:
      'no secret or card number in logs, errors, metrics or webhooks, nor unmasked in the database',
    tests: [
      ['flows/canaries', 'promise 19'],
      ['webhooks/endpoints', 'no secret'],
      ['processes/start-and-stop', 'secret'],
    ],
  },
  {
    number: 20,
    about:
      'a dump holds no usable key, password or session; a revoked key is refused within one second',
    tests: [
      ['flows/keys', 'keys'],
      ['dashboard/attacks', 'keeps nothing usable'],
    ],
  },
  {
    number: 21,
    about: 'the dashboard resists common web attacks',
    tests: [['dashboard/attacks'], ['dashboard/sign-in'], ['dashboard/routes']],
  },
  {
    number: 22,
    about: 'verification names an altered, removed or moved row of the audit log',
    tests: [['store/audit-chain']],
  },
  {
    number: 23,
    about: 'SIGTERM under load: every acknowledged payment is sent exactly once',
    tests: [['processes/settling', 'promise 23']],
  },
  {
    number: 24,
    about: 'frozen process, silent connections: others take over within 15 s, nothing sent twice',
    tests: [['processes/outages', 'promise 24']],
  },
  {
    number: 25,
    about: 'one of three clocks wrong: no debited payment reported as failed, nothing sent twice',
    tests: [
      ['processes/outages', 'promise 25'],
      ['flows/sent-once', 'clock steps'],
    ],
  },
  {
    number: 26,
    about: 'late money: each debit is reported or listed within 72 h',
    tests: [['simulation/simulation'], ['flows/late-money', 'late money']],
  },
  {
    number: 27,
    about: 'very slow refunds with two workers: one request each',
    tests: [['flows/refunds', 'promise 27']],
  },
  {
    number: 28,
    about: 'fail-over to a synchronous standby: nothing lost or doubled, recovery within 15 s',
    tests: [['processes/outages', 'promise 28']],
  },
  {
    number: 29,
    about: '5,000 long polls: creates continue, closed polls are freed, a stop answers all at once',
    tests: [['additions/waiting']],
  },
  {
    number: 30,
    about:
      'documented network faults on both stores: reported or listed for a person, never debited twice',
    tests: [['networks/every-fault', 'faults on']],
  },
  {
    number: 31,
    about:
      'lost answer × lagging look-up × callback never, late or early: no debit stays reported as failed unlisted',
    tests: [['networks/lost-answers'], ['networks/every-fault', 'lost answers of']],
  },
  {
    number: 34,
    about:
      'three PostgreSQL nodes under Patroni: nothing lost or sent twice, payments work again within 30 s',
    tests: [['processes/patroni', 'promise 34']],
  },
  {
    number: 35,
    about:
      'an hour of mixed load with dead receivers, long polls, partial requests, dashboards: memory, descriptors and files stay flat',
    tests: [['../../tools/soak/soak']],
  },
  {
    number: 36,
    about:
      'every command as a process, with normal, empty, large and wrong input: it ends, and one line says how',
    tests: [
      ['processes/commands-on-sqlite'],
      ['processes/commands-on-postgres'],
      ['../../merchant-cli/test/commands'],
    ],
  },
  {
    number: 37,
    about: 'the text of an event is the same byte for byte after an upgrade, a replay, a restore',
    tests: [['webhooks/event-texts'], ['upgrade/upgrade']],
  },
  {
    number: 38,
    about:
      'each franc in one place under any order of acts; verification names every planted break',
    tests: [
      ['books/worlds'],
      ['books/any-order'],
      ['books/leap-month'],
      ['processes/killed-imports'],
    ],
  },
  {
    number: 39,
    about: 'hostile files: at most 100 MB more, /healthz within 100 ms, creates go on',
    tests: [['processes/hostile-files']],
  },
  {
    number: 40,
    about: 'every statement on a filled store uses an index, on both engines',
    tests: [['store/statement-plans'], ['dashboard/large-account']],
  },
  {
    number: 41,
    about:
      'clients in Node, PHP and Python over a line that loses 35 % of the answers: one payment for each order',
    tests: [['clients/conformance', 'many orders']],
  },
]
