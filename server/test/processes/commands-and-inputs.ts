// Every command of karba with a normal, an empty, a large and a wrong input. `normal` and `wrong`
// are called with --json where the command offers it, `empty` and `large` without. A name in <angle
// brackets> is one of prepared-stores.ts.
import type { Place } from './prepared-stores.ts'

export interface Call {
  /** After the command; a text with blanks is in quotation marks. */
  args: string
  code: 0 | 1 | 2
  /** What stdout says with exit code 0, and stderr otherwise. */
  says: RegExp
  /** By default `empty` for the empty input and `things` for others. */
  on?: Place
  /**
   * Only on this store; by default on both, and a usage error on SQLite, because it opens no store.
   */
  stores?: 'SQLite' | 'PostgreSQL'
  /** Standard input. */
  input?: string
  env?: Record<string, string>
  /** A command that serves: what it prints when it is ready, after which it gets SIGTERM. */
  until?: RegExp
  /** Exit code 1 and a result on stdout: a check that finds something. */
  printsToo?: boolean
}

/** Null where a command has no such input. */
export type Inputs = Record<'normal' | 'empty' | 'large' | 'wrong', Call | null>
export type Row = [command: string, inputs: Inputs]

type More = Omit<Call, 'args' | 'code' | 'says'>

const prints = (args: string, says: RegExp, more: More = {}): Call => ({
  args,
  code: 0,
  says,
  ...more,
})
const refuses = (args: string, says: RegExp, more: More = {}): Call => ({
  args,
  code: 1,
  says,
  ...more,
})
const misuses = (args: string, says: RegExp, more: More = {}): Call => ({
  args,
  code: 2,
  says,
  ...more,
})

const MERCHANTS: More = { on: 'merchants' }
const LARGE: More = { on: 'large' }
const FIRST: More = { on: 'first start' }

/**
 * A command about one thing: the same call in an empty store, and a name that is too long to be
 * one.
 */
const aboutOne = (
  normal: Call,
  { args, unknown, ...more }: { args: string; unknown: RegExp } & More,
): Inputs => ({
  normal,
  empty: refuses(normal.args, unknown, { ...more, input: normal.input ?? '' }),
  large: refuses(args.replace('?', '<long>'), unknown, more),
  wrong: refuses(args.replace('?', 'unknown'), unknown, more),
})

const NO_ACCOUNT = /There is no such account\. `karba merchant list`/
const NO_MERCHANT = /There is no such merchant/
const NO_ENDPOINT = /There is no such endpoint/
const NO_PAYMENT = /There is no such payment/
const NO_LINK = /There is no such link/
const NO_ANOMALY = /There is no such open anomaly/
const NO_LATE_MONEY = /This anomaly is not open, or is not about a late payment/
const NO_PERSON = /There is no such/

export const EVERY_COMMAND: readonly Row[] = [
  [
    'merchant create',
    {
      normal: prints('--name "Boutique Awa"', /"secret_key":"sk_live_/),
      empty: misuses('--name ""', /1 to 255 characters/),
      large: misuses('--name <long>', /1 to 255 characters/),
      wrong: misuses('--validate-live', /required option '--name <name>'/),
    },
  ],
  [
    'merchant list',
    {
      normal: prints('--limit 1', /"merchant":"mer_/),
      empty: prints('', /^No merchant yet\.\n$/),
      large: prints('', /(.*\n){5001}/, MERCHANTS),
      wrong: misuses('--limit 0', /whole number from 1 to 1000/),
    },
  ],
  [
    'merchant checkout',
    aboutOne(prints('<account>', /"methods":\["mobile"/), {
      args: '? --pages on',
      unknown: NO_ACCOUNT,
    }),
  ],
  [
    'merchant offer',
    aboutOne(prints('<account>', /"methods":\["mobile"/), { args: '?', unknown: NO_ACCOUNT }),
  ],
  [
    'merchant invite',
    aboutOne(prints('<merchant> --email new@boutique.example', /"invitation":/), {
      args: '? --email new@boutique.example',
      unknown: NO_MERCHANT,
    }),
  ],
  [
    'merchant validate',
    aboutOne(prints('<merchant> --environment live', /"status":"validated"/), {
      args: '? --environment live',
      unknown: NO_MERCHANT,
    }),
  ],
  [
    'merchant suspend',
    aboutOne(prints('<merchant3> --environment live', /"status":"suspended"/), {
      args: '? --environment live',
      unknown: NO_MERCHANT,
    }),
  ],
  [
    'keys make',
    {
      normal: prints('<account2> --name Plugin --may webhooks', /"secret_key":"sk_/),
      empty: refuses(
        '<account2> --name Plugin --may webhooks,read',
        /can have no other permission/,
      ),
      large: refuses('<account2> --name <long> --may read', /name of a key has 1 to 60/),
      wrong: refuses('unknown --name Plugin --may webhooks', NO_ACCOUNT),
    },
  ],
  [
    'keys roll',
    aboutOne(prints('<account2> --keep-old 24h', /"secret_key":/), {
      args: '?',
      unknown: NO_ACCOUNT,
    }),
  ],
  [
    'keys revoke',
    {
      normal: prints('-', /^\{"revoked":1\}\n$/, { input: '<secret3>\n' }),
      empty: refuses('-', /There is no such valid key/),
      large: refuses('-', /There is no such valid key/, { input: '<long>' }),
      wrong: refuses('unknown', /There is no such valid key/),
    },
  ],
  ['keys list', aboutOne(prints('<account>', /"key":"key_/), { args: '?', unknown: NO_ACCOUNT })],
  [
    'payment show',
    aboutOne(prints('<reference>', /"reference":"<reference>"|"status":"succeeded"/), {
      args: '?',
      unknown: NO_PAYMENT,
    }),
  ],
  [
    'payment list',
    {
      normal: prints('<account> --status succeeded', /"status":"succeeded"/),
      empty: prints('', /^No payment/),
      large: prints('--limit 1000', /(.*\n){1001}/, LARGE),
      wrong: refuses('unknown', NO_ACCOUNT),
    },
  ],
  [
    'refund',
    aboutOne(prints('<reference2> --amount 500', /"amount":500/), {
      args: '? --amount 1',
      unknown: NO_PAYMENT,
    }),
  ],
  [
    'refund tasks',
    {
      normal: prints('', /"refund_reference":/),
      empty: prints('', /^No refund to make by hand\.\n$/),
      large: null,
      wrong: misuses('--all', /unknown option '--all'/),
    },
  ],
  [
    'refund confirm',
    aboutOne(prints('<refund> --proof "portal, refund 8812"', /"status":"succeeded"|<refund>/), {
      args: '? --proof x',
      unknown: /This refund does not wait for a manual decision/,
    }),
  ],
  [
    'refund reject',
    aboutOne(prints('<refund2> --proof "the network said no"', /"status":"failed"|<refund2>/), {
      args: '? --proof x',
      unknown: /This refund does not wait for a manual decision/,
    }),
  ],
  [
    'anomalies',
    {
      normal: prints('--all', /"anomaly":"ano_/),
      empty: prints('', /^No anomalies\.\n$/),
      large: null,
      wrong: misuses('--limit many', /whole number/),
    },
  ],
  [
    'anomalies resolve',
    aboutOne(prints('<anomaly> --note "by hand"', /<anomaly>/), {
      args: '? --note x',
      unknown: NO_ANOMALY,
    }),
  ],
  [
    'anomalies accept',
    aboutOne(prints('<late> --note "case 812"', /<late>/), {
      args: '? --note x',
      unknown: NO_LATE_MONEY,
    }),
  ],
  [
    'anomalies refund',
    aboutOne(prints('<late2> --note "case 813"', /<late2>/), {
      args: '? --note x',
      unknown: NO_LATE_MONEY,
    }),
  ],
  [
    'link create',
    {
      normal: prints('<account> --amount 15000 --title "Commande 12"', /"page_url":"http/),
      empty: refuses('<account> --amount 15000 --title ""', /title/, { on: 'things' }),
      large: refuses('<account> --amount 15000 --title <long>', /title/),
      wrong: misuses('<account> --amount 1e3 --title x', /whole number/),
    },
  ],
  [
    'link list',
    {
      normal: prints('<account>', /"links":\[\{/),
      empty: prints('', /^No link/),
      large: null,
      wrong: misuses('--status open', /Allowed choices are initiated/),
    },
  ],
  ['link show', aboutOne(prints('<link>', /"page_url":"http/), { args: '?', unknown: NO_LINK })],
  [
    'link cancel',
    aboutOne(prints('<link2>', /"because":"cancelled"/), { args: '?', unknown: NO_LINK }),
  ],
  [
    'webhook add',
    {
      normal: prints('<account> --url https://shop.example/hook', /"signing_secret":"whsec_/),
      empty: refuses('<account> --url ""', /address/, { on: 'things' }),
      large: refuses('<account> --url https://shop.example/<long>', /address/),
      wrong: refuses('unknown --url https://shop.example/hook', NO_ACCOUNT),
    },
  ],
  [
    'webhook list',
    {
      normal: prints('<account>', /"endpoint":"whe_/),
      empty: prints('', /^No endpoint/),
      large: null,
      wrong: refuses('unknown', NO_ACCOUNT),
    },
  ],
  [
    'webhook test',
    aboutOne(refuses('<endpoint>', /"delivered":false/, { printsToo: true }), {
      args: '?',
      unknown: NO_ENDPOINT,
    }),
  ],
  [
    'webhook disable',
    aboutOne(prints('<endpoint2>', /"status":"off"/), { args: '?', unknown: NO_ENDPOINT }),
  ],
  [
    'webhook enable',
    aboutOne(prints('<endpoint>', /"status":"on"/), { args: '?', unknown: NO_ENDPOINT }),
  ],
  [
    'webhook remove',
    aboutOne(prints('<endpoint3>', /<endpoint3>/), { args: '?', unknown: NO_ENDPOINT }),
  ],
  [
    'webhook roll-secret',
    aboutOne(prints('<endpoint> --keep-old 24h', /"signing_secret":"whsec_/), {
      args: '?',
      unknown: NO_ENDPOINT,
    }),
  ],
  [
    'webhook roll-secret-hash',
    aboutOne(
      prints('<endpoint> --secret-hash -', /<endpoint>/, { input: 'a word of the shop\n' }),
      {
        args: '? --secret-hash "a word of the shop"',
        unknown: NO_ENDPOINT,
      },
    ),
  ],
  [
    'webhook deliveries',
    {
      normal: prints('<account>', /"delivery":"whe_/),
      empty: prints('', /^No deliver/),
      large: refuses('<long>', /There is no such/),
      wrong: misuses('--since yesterday', /Write it as 24h or 7d ago/),
    },
  ],
  [
    'webhook delivery',
    aboutOne(prints('<delivery>', /"delivery":"<delivery>"/), {
      args: '?',
      unknown: /There is no such delivery/,
    }),
  ],
  [
    'webhook replay',
    aboutOne(prints('<delivery2>', /^\{"deliveries":1,"events":1\}/), {
      args: '?',
      unknown: /There is no such delivery/,
    }),
  ],
  [
    'staff create',
    {
      normal: prints('--name "Awa Diallo" --email awa@karba.example --role support', /"password":/),
      empty: refuses('--name "" --email a@karba.example --role support', /name/, { on: 'things' }),
      large: refuses('--name <long> --email a@karba.example --role support', /name/),
      wrong: misuses('--name Awa --email a@karba.example --role king', /Allowed choices/),
    },
  ],
  [
    'staff list',
    {
      normal: prints('', /"email":/),
      empty: prints('', /^(No staff|There is no|Nobody)/),
      large: null,
      wrong: misuses('--all', /unknown option/),
    },
  ],
  ['staff reset', aboutOne(prints('<staff>', /"password":/), { args: '?', unknown: NO_PERSON })],
  [
    'staff remove',
    aboutOne(prints('<staff2>', /"removed":true/), { args: '?', unknown: NO_PERSON }),
  ],
  [
    'operators list',
    {
      normal: prints('', /"connection":/),
      empty: prints('', /CONNECTION/),
      large: null,
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'operators check',
    {
      normal: refuses('live/unknown', /There is no connection live\/unknown to a network/),
      empty: refuses('', /Neither KARBA_OPERATORS_FILE nor a merchant connects a network/),
      large: refuses('<long>', /There is no connection/),
      wrong: misuses('a b', /too many arguments/),
    },
  ],
  [
    'operators pause',
    {
      normal: prints('sandbox/airtel_ne --reason "an outage"', /"paused":true/),
      empty: refuses('sandbox/airtel_ne --reason ""', /reason/),
      large: refuses('sandbox/airtel_ne --reason <long>', /reason/),
      wrong: refuses('airtel --reason x', /Name a connection with its environment/),
    },
  ],
  [
    'operators resume',
    {
      normal: prints('sandbox/paused-network --reason "it is over"', /"paused":false/),
      empty: refuses('sandbox/mtn_bj --reason "it is over"', /not paused|no pause/i),
      large: refuses('sandbox/paused-network --reason <long>', /reason/),
      wrong: refuses('airtel --reason x', /Name a connection with its environment/),
    },
  ],
  [
    'tariff list',
    {
      normal: prints('', /^\[/),
      empty: prints('', /^No tariff is set\.\n$/),
      large: null,
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'tariff set',
    {
      normal: prints(
        'sandbox/airtel_ne --rate 1.5 --maximum 5000',
        /"connection":"airtel_ne"|"rate"/,
      ),
      empty: misuses('sandbox/airtel_ne --rate ""', /Write it in percent/),
      large: misuses('sandbox/airtel_ne --fixed <long>', /Write whole francs/),
      wrong: refuses(
        'sandbox/unknown --rate 1',
        /unknown: .*connection|There is no such connection/i,
      ),
    },
  ],
  [
    'statement columns',
    {
      normal: prints('live/airtel_ne <one>', /^\{"columns":\{"bookedAt":"Date"/),
      empty: prints('sandbox/mtn_bj <headings>', /^\{"columns":/, { on: 'things' }),
      large: prints('sandbox/airtel_ne <lines> --dry-run', /^\{"columns":/),
      wrong: refuses('sandbox/airtel_ne nowhere.csv', /There is no file nowhere\.csv/),
    },
  ],
  [
    'statement import',
    {
      normal: prints('sandbox/airtel_ne <one>', /"lines":1,/),
      // Another store than the normal input's: a connection has one import at a time.
      empty: prints('sandbox/airtel_ne <headings>', /^0 lines: /, { on: 'large' }),
      large: prints('live/airtel_ne <lines>', /^2500 lines: 2500 added, 0 in agreement/, LARGE),
      wrong: refuses('sandbox/airtel_ne <broken>', /statement_not_valid/),
    },
  ],
  [
    'statement fetch',
    {
      normal: refuses(
        '--connection sandbox/airtel_ne --from 2026-11-01 --to 2026-11-02',
        /does not offer|no statement|connection/i,
      ),
      empty: misuses('--connection "" --from "" --to ""', /Write it as 2026-11-15/),
      large: refuses('--connection live/<long> --from 2026-11-01 --to 2026-11-02', /connection/i),
      wrong: misuses(
        '--connection live/x --from yesterday --to 2026-11-02',
        /Write it as 2026-11-15/,
      ),
    },
  ],
  [
    'statement files',
    {
      normal: prints('', /"lines":2500/, LARGE),
      empty: prints('', /^No statement was imported\.\n$/),
      large: null,
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'statement download',
    {
      normal: prints('<file> <folder>/downloaded.csv', /^$/, LARGE),
      empty: refuses('<file> <folder>/none.csv', /There is no such/),
      large: prints('<file> -', /(2026.*\r?\n){2500}/, LARGE),
      wrong: refuses('unknown <folder>/none.csv', /There is no such/),
    },
  ],
  [
    'statement take-back',
    {
      normal: prints(
        '<file2> --note "a file of another wallet"',
        /"taken_back":true,"lines":1,/,
        LARGE,
      ),
      empty: refuses('<file> --note x', /There is no such/),
      large: refuses('<file> --note <long>', /reason or note/, LARGE),
      wrong: refuses('unknown --note x', /There is no such/),
    },
  ],
  [
    'statement differences',
    {
      normal: prints('', /"difference":"exc_|"exception":"exc_/),
      empty: prints('', /^The statements and the ledger agree\.\n$/),
      large: prints('', /missing_here/, LARGE),
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'statement suggestions',
    aboutOne(prints('<gap>', /^\[\{/), {
      args: '?',
      unknown: /There is no such|no open difference/,
    }),
  ],
  [
    'statement confirm',
    {
      normal: prints('<gap2> <match2> --note "the same payer"', /"closed":true/),
      empty: refuses('<gap2> <match2> --note x', /There is no such|no open difference/),
      large: refuses('<gap3> <long> --note x', /./),
      wrong: refuses('unknown unknown --note x', /There is no such|no open difference/),
    },
  ],
  [
    'statement reasons',
    aboutOne(prints('<gap>', /"reasons":\[.*"not_ours"/), {
      args: '?',
      unknown: /There is no such|no open difference/,
    }),
  ],
  [
    'statement close',
    aboutOne(prints('<gap> --reason not_ours --note "MTN confirmed it"', /"closed":true/), {
      args: '? --reason not_ours --note x',
      unknown: /There is no such|no open difference/,
    }),
  ],
  [
    'statement correct',
    aboutOne(prints('<gap4> --reason other_income --note "It was ours"', /"closed":true/), {
      args: '? --reason top_up --note x',
      unknown: /There is no such|no open difference/,
    }),
  ],
  [
    'statement export',
    {
      normal: prints('<account> airtel_ne --from 2026-11-01 --to 2026-11-30', /;|,/),
      empty: refuses('<account> airtel_ne --from 2026-11-01 --to 2026-11-30', NO_ACCOUNT),
      large: refuses('<account> airtel_ne --from 2001-01-01 --to 2026-11-30', /days/),
      wrong: misuses('<account> airtel_ne --from 2026-11-01', /--to <day>/),
    },
  ],
  [
    'settlement list',
    aboutOne(prints('<account>', /"settlement":|"name":/), { args: '?', unknown: NO_ACCOUNT }),
  ],
  [
    'settlement confirm',
    {
      normal: prints('<account> <settlement> --amount 1000', /"/),
      empty: refuses('<account> <settlement> --amount 1000', /no such settlement/),
      large: misuses('<account2> <settlement2> --amount 99999999999999999999', /whole number/),
      wrong: refuses('<account2> unknown --amount 1000', /no such settlement/),
    },
  ],
  [
    'simulator',
    {
      normal: prints('--network mtn-momo --port 0', /ready at http/, { until: /ready at http/ }),
      empty: misuses('--port ""', /whole number/),
      large: misuses('--port 65536', /65535/),
      wrong: refuses('--network unknown --port 0', /mtn-momo/),
    },
  ],
  [
    'audit',
    {
      normal: prints('<merchant>', /"action":"merchant.create"/),
      empty: prints('', /^No entries\.\n$/),
      large: prints('--limit 1000', /(.*\n){1001}/, MERCHANTS),
      wrong: misuses('--since yesterday', /Write it as 24h or 7d ago/),
    },
  ],
  [
    'audit verify',
    {
      normal: prints('', /"clean":true/),
      empty: prints('', /^0 entries were read, and the chain is intact/),
      large: prints('', /^2,500 entries were read, and the chain is intact/, MERCHANTS),
      wrong: misuses('--head 7', /a number, a colon and 64 hexadecimal digits/),
    },
  ],
  [
    'migrate',
    {
      normal: prints('', /^\{"migrated":true\}\n$/),
      empty: prints('', /^The database is up to date\.\n$/),
      large: prints('', /^The database is up to date\.\n$/, LARGE),
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'privacy erase',
    {
      normal: prints('"+227 90 00 00 01"', /"payments":0/),
      empty: refuses('- --country NE', /number/, { input: '' }),
      large: refuses(
        '"+227 96 12 34 56"',
        /of this number is still pending\. Nothing was erased/,
        LARGE,
      ),
      wrong: refuses('12 --country NE', /number/),
    },
  ],
  [
    'doctor',
    {
      normal: prints('', /"name":"clock"/),
      empty: prints('', /The mode is development/),
      large: prints('', /The mode is development/, LARGE),
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'config',
    {
      normal: prints('', /"name":"KARBA_DATA_DIR"/),
      empty: prints('', /^KARBA_MODE=|\nKARBA_MODE=/),
      large: refuses('', /KARBA_POSTGRES_POOL/, {
        env: { KARBA_POSTGRES_POOL: '99999999999999999999' },
      }),
      wrong: refuses('', /PORT/, { env: { PORT: 'door' } }),
    },
  ],
]

/** In this order, one after the other. */
export const ALONE: readonly Row[] = [
  [
    'demo books',
    {
      normal: prints('', /"payments":\d{3}/, FIRST),
      empty: refuses('', /This store has no demo merchant/),
      large: refuses('', /This store has other merchants|no demo merchant/, LARGE),
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'verify',
    {
      normal: prints('', /"clean":true|"found":0|"payments":/, FIRST),
      empty: prints('', /^0 payments were read, and no inconsistency was found\.\n$/),
      large: prints('', /2,500 payments were read, and no inconsistency was found/, LARGE),
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'archive write',
    {
      normal: prints('<folder>', /^\{"archives":\[\]\}/),
      empty: prints('<folder>', /^No month is left to archive\.\n$/),
      large: prints('<folder> --older-than 1', /300 payments in /, LARGE),
      wrong: refuses('<folder>/nowhere', /There is no folder/),
    },
  ],
  [
    'archive read',
    {
      normal: prints('<archive> --reference <archived>', /"reference":"<archived>"/, LARGE),
      empty: refuses('<headings>', /no archive|not an archive/i),
      large: prints('<archive>', /(\{.*\}\n){300}/, LARGE),
      wrong: refuses('<folder>/nowhere', /There is no file/),
    },
  ],
  [
    'archive verify',
    {
      normal: prints('<folder>', /"fault":null/, LARGE),
      empty: prints('<folder>', /^No month is archived\.\n$/),
      large: prints('<folder>', /300 .*\.archive +whole\n/, LARGE),
      wrong: refuses('<folder>/nowhere', /There is no folder/),
    },
  ],
  [
    'archive list',
    {
      normal: prints('', /"month":/, LARGE),
      empty: prints('', /^No month is archived\.\n$/),
      large: null,
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'demo remove',
    {
      normal: prints('', /"people":\["admin@karba\.example"/, FIRST),
      empty: prints('', /^There are no demo people and no demo keys\.\n$/),
      large: prints('', /^There are no demo people and no demo keys\.\n$/, LARGE),
      wrong: misuses('--all', /unknown option/),
    },
  ],
  [
    'backup',
    {
      normal: prints('<folder>/backup', /"bytes":\d+/),
      empty: prints('<folder>/empty-backup', /is a complete copy/),
      large: prints('<folder>/large-backup', /is a complete copy/, LARGE),
      wrong: refuses('<folder>/nowhere/backup', /nowhere/),
    },
  ],
  [
    'drill',
    {
      normal: prints('<folder>/drill', /"good":true/, FIRST),
      empty: prints('<folder>/empty-drill', /The drill succeeded/),
      large: prints('<folder>/large-drill', /The drill succeeded/, LARGE),
      wrong: refuses('<headings> --existing', /headings/),
    },
  ],
  [
    'restore',
    {
      normal: prints('<folder>/backup', /"restored":/, { stores: 'SQLite' }),
      empty: refuses('<headings>', /headings/, { stores: 'SQLite' }),
      large: prints('<folder>/large-backup', /The store is that of/, {
        ...LARGE,
        stores: 'SQLite',
      }),
      wrong: refuses('<folder>/nowhere', /nowhere|no file/, { stores: 'SQLite' }),
    },
  ],
  [
    'store copy',
    {
      normal: prints('--from <sqlite> --to -', /"rows":\d+/, { input: '<database>\n' }),
      empty: refuses('--from <sqlite> --to -', /postgres/),
      large: prints('--from <sqliteLarge> --to -', /rows in \d+ tables were copied/, {
        input: '<database2>\n',
      }),
      wrong: refuses('--from sqlite:<folder>/nowhere --to -', /nowhere/, {
        input: '<database2>\n',
      }),
    },
  ],
  [
    'master-key rotate',
    {
      normal: prints('', /"resealed":\d+/),
      empty: prints('', /encrypted with the new master key/),
      large: prints('', /encrypted with the new master key/, LARGE),
      wrong: misuses('--new-key x', /--new-key needs KARBA_MASTER_KEY/),
    },
  ],
]
