// Starts and stops the service: the demo merchant of the first start, listening, the start-up text,
// signals.
import { writeSync } from 'node:fs'
import { createMerchantIn, type NewMerchant } from '../actions/merchants/create-merchant.ts'
import {
  createDemoPeopleIn,
  type DemoPeople,
  findDemoCredentials,
  prepareDemoPeople,
} from '../actions/people/demo-people.ts'
import { type Config, readConfig, SettingRefused } from '../config.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import { lookUp } from '../domain/texts/free-text.ts'
import { BASE_PATH } from '../merchant-api/contract.ts'
import { isThereAMerchant } from '../store/merchants/accounts.ts'
import { writeFactOnce } from '../store/service/service-facts.ts'
import { checkFileModes, checkSettings, describeDemo, describeShared } from './check-up.ts'
import { openService, type Service } from './compose.ts'
import { operatorsFileOf, simulatedEnvironments } from './connect-operators.ts'
import { findSharedConnections } from './connections.ts'
import { type Runtime, realPause } from './runtime.ts'
import { writeServerAddress } from './server-address.ts'
import { VERSION } from './version.ts'

const FIRST_START: ServiceItself = { is: 'service', part: 'first start' }
const LOG_WRITTEN_WITHIN_MS = 2_000

/**
 * A proxy may be sending a request on a kept connection, and may not repeat a POST whose connection
 * ends without an answer. In this time it gets a 503, and knows new connections to be refused.
 */
const LAST_REQUESTS_MS = 300

export const readConfigOfProcess = (): Config => readConfig(process.env)

export async function startServer(config: Config): Promise<void> {
  // Files that the service writes are readable by its own user only.
  process.umask(0o077)
  refuseDanger(config)
  const service = await openService(config, { filesRemoved: exitWith })
  let forgetAddress = (): void => {}
  let isStopping = false
  const stopOnce = (signal: string): void => {
    if (isStopping) return
    isStopping = true
    forgetAddress()
    void stop(service, signal)
  }
  // SIGTERM often comes twice: npm passes it on. A second Ctrl+C ends the process at once.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, stopOnce)
  process.once('SIGINT', stopOnce)
  try {
    await refuseDemo(service)
    await warnOfSharing(service)
    const wantsDemo = config.mode === 'development' && config.role !== 'worker'
    const demo = wantsDemo ? await makeDemoMerchant(service) : undefined
    const listening = await listen(service)
    if (config.role !== 'worker') forgetAddress = writeServerAddress(config.dataDir, listening)
    const { mailPagePath, log } = service
    const mailPage = mailPagePath && listening + mailPagePath
    log.info({ ...processFields(config), address: listening }, 'started')
    // PUBLIC_URL leads to processes that serve pages.
    const address = (config.role !== 'worker' && config.publicUrl) || listening
    writeSync(1, startText({ config, address, mailPage, demo }))
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Of the log lines of a start and a stop. */
const processFields = ({ role, mode }: Config) => ({
  version: VERSION,
  role,
  mode,
  pid: process.pid,
})

/** In production, what would harm merchants or payers is not started at all. */
function refuseDanger(config: Config): void {
  if (config.mode !== 'production') return
  if (checkSettings(config).some(({ name, is }) => name === 'public_url' && is === 'dangerous')) {
    throw new SettingRefused(
      'In production PUBLIC_URL must be an https address: put a TLS proxy in front of the service and set PUBLIC_URL to its address.',
    )
  }
  const open = checkFileModes(config)
  if (open.is === 'dangerous') {
    throw new SettingRefused(
      `Other users of this machine can read ${open.found}: run chmod 600 on it.`,
    )
  }
}

/** The terminal of the first start in development showed these passwords and keys. */
async function refuseDemo(runtime: Runtime): Promise<void> {
  const demo = runtime.config.mode === 'production' ? await findDemoCredentials(runtime) : undefined
  if (demo === undefined) return
  throw new SettingRefused(
    `This store has the demo of a start in development (${describeDemo(demo)}), whose passwords and keys were printed: run \`npm run -s karba -- demo remove\`, or use another store.`,
  )
}

async function warnOfSharing({ config, db, log }: Service): Promise<void> {
  const shared = await findSharedConnections(config, db)
  if (shared.length === 0) return
  const sentence =
    'several merchants collect into one wallet: only a licensed company may hold their money; let each merchant enter a connection of their own in the dashboard'
  log.warn({ connections: describeShared(shared) }, sentence)
}

async function listen({ listen: open, config }: Service): Promise<string> {
  const { host, port } = config
  try {
    return await open()
  } catch (error) {
    const why: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is already in use. Stop what uses it, or set PORT to another.`,
      EACCES: `Port ${port} on ${host} may not be used by this user. Set PORT to one above 1023.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine. Set HOST to one that is.`,
      ENOTFOUND: `${host} is not an address of this machine. Set HOST to one that is.`,
    }
    const sentence = lookUp(why, (error as { code: string }).code)
    throw sentence === undefined ? error : new SettingRefused(sentence, { cause: error })
  }
}

/** Finishes in-flight work, closes the store, and exits with 0; with 1 after a timeout. */
async function stop(service: Service, signal: string): Promise<void> {
  const { log, clock, config, close } = service
  log.info({ ...processFields(config), signal }, 'stopping')
  clock.after(config.stopWithinMs, () => {
    log.warn(
      'stopping took too long: work in flight is left as after a crash, and continues at the next start',
    )
    end(1)
  })
  await service.stopAccepting()
  await realPause(LAST_REQUESTS_MS)
  await close()
  end(0)

  function end(code: number): void {
    // The reader of the log may have stopped reading, and an orderly exit waits for the log too.
    clock.after(LOG_WRITTEN_WITHIN_MS, () => process.kill(process.pid, 'SIGKILL'))
    log.flush(() => process.exit(code))
  }
}

/** At once: nothing more may be answered. Written synchronously, or the sentence could be lost. */
function exitWith(sentence: string): void {
  writeSync(2, `Karba has ended: ${sentence}\n`)
  process.exit(1)
}

/**
 * Only in a store that never had a merchant; of several processes that start together, one makes
 * it.
 */
async function makeDemoMerchant(runtime: Runtime): Promise<Demo | undefined> {
  const { db, clock } = runtime
  if (await isThereAMerchant(db)) return undefined
  const prepared = await prepareDemoPeople(runtime)
  return db.transaction(async (tx) => {
    if (await isThereAMerchant(tx)) return undefined
    const mine = `${process.pid} at ${clock.now()}`
    if ((await writeFactOnce(tx, 'demo_merchant_made_by', mine)) !== mine) return undefined
    const merchant = await createMerchantIn(runtime, tx, FIRST_START, {
      name: 'Boutique Démo',
      validateLive: false,
    })
    const { merchantId } = merchant
    return {
      ...merchant,
      people: await createDemoPeopleIn(runtime, tx, FIRST_START, { merchantId, prepared }),
    }
  })
}

// The text that `npm start` prints. Keys are printed once, when the demo merchant is made, and
// never again.

/** The demo merchant of a new store, with the keys and passwords that are shown once. */
export interface Demo extends NewMerchant {
  people: DemoPeople
}

export interface StartFacts {
  config: Config
  address: string
  /** Where emails are shown; undefined where they are sent. */
  mailPage: string | undefined
  demo: Demo | undefined
}

export function startText({ config, address, mailPage, demo }: StartFacts): string {
  const isWorker = config.role === 'worker'
  const lines = ['', `Karba${isWorker ? '’s worker' : ''} is ready at ${address}`, '']
  if (!isWorker) lines.push(...servedPages(address, mailPage))
  lines.push(`  health     ${address}/healthz  ${address}/readyz  ${address}/metrics`)
  lines.push(
    `  store      ${config.databaseUrl.startsWith('sqlite:') ? config.databaseUrl : 'PostgreSQL'}`,
  )
  lines.push(`  operators  ${operatorsSentence(config)}`)
  lines.push(`  webhooks   ${webhooksSentence(config)}`, '')
  if (demo !== undefined) lines.push(...firstStart(address, demo))
  else if (!isWorker) lines.push(...laterStart())
  return `${lines.join('\n')}\n`
}

function servedPages(address: string, mailPage: string | undefined): string[] {
  const mails = `  emails     ${mailPage} (shown there and not sent: development mode)`
  return [
    `  API        ${address}${BASE_PATH}`,
    `  dashboard  ${address}/dashboard`,
    ...(mailPage === undefined ? [] : [mails]),
    `  reference  ${address}/docs`,
  ]
}

function operatorsSentence(config: Config): string {
  const { connections, environments } = operatorsFileOf(config)
  const real = connections.map(({ environment, name }) => `${environment}/${name}`)
  const simulated = simulatedEnvironments(config, { environments })
  const rest =
    simulated.length === 0
      ? []
      : [`${simulated.toReversed().join(' and ')} simulated: no real money moves there`]
  const missing =
    simulated.includes('live') || environments.includes('live')
      ? []
      : ['live has none yet and answers 403']
  return [...real, ...rest, ...missing].join('; ')
}

function webhooksSentence({ mode, webhookAllow }: Config): string {
  const listed = webhookAllow === '' ? '' : `, and to ${webhookAllow}`
  return mode === 'development'
    ? `to public addresses and to this machine${listed}: development mode`
    : `to public addresses${listed}`
}

function laterStart(): string[] {
  return [
    'Keys are shown once, when they are made. For a merchant and new keys:',
    '  npm run -s karba -- merchant create --name "Boutique Awa"',
    '  npm run -s karba -- merchant list',
    '  npm run -s karba -- keys roll <account>',
    'A member of staff, for the console of the dashboard:',
    '  npm run -s karba -- staff create --name "Awa Diallo" --email awa@karba.example --role administrator',
    '',
  ]
}

function firstStart(address: string, { merchantId, accounts, people }: Demo): string[] {
  const { sandbox, live } = accounts
  return [
    `Sign in at ${address}/dashboard; these passwords are shown only once:`,
    `  the demo merchant’s owner   ${people.owner.email}  ${people.owner.password}`,
    `  staff                       ${people.administrator.email}  ${people.administrator.password}`,
    '',
    `A demo merchant was made (${merchantId}). These keys are shown only once:`,
    `  sandbox  ${sandbox.accountId}`,
    `           ${sandbox.publicKey}`,
    `           ${sandbox.secretKey}`,
    `  live     ${live.accountId}`,
    `           ${live.publicKey}`,
    `           ${live.secretKey}`,
    '  The live account waits for its validation:',
    `    npm run -s karba -- merchant validate ${merchantId} --environment live`,
    '',
    'A month of payments, refunds and networks’ statements for the demo merchant:',
    '  npm run -s karba -- demo books',
    '',
    'A first payment:',
    `  curl -s ${address}${BASE_PATH}/payments \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -H 'Authorization: Bearer ${sandbox.secretKey}' \\`,
    `    -H 'Svc-Target-Environment: sandbox' \\`,
    `    -H 'Svc-Payment-Type: mobile' \\`,
    `    -d '{"amount":1500,"country":"NE","currency":"XOF","msisdn":"90123456","transaction_id":"first-1","customer_name":"Awa"}'`,
    '',
    'Its webhook, and the same for a receiver on this machine, which needs no endpoint:',
    `  npm run -s karba -- webhook add ${sandbox.accountId} --url https://shop.example/hook`,
    `  KARBA_URL=${address} SVC_SECRET_KEY=${sandbox.secretKey} npx karba listen --forward-to http://localhost:3000/hook`,
    '',
  ]
}
