// Starts and stops the service: the demo merchant of the first start, listening, the start-up text, signals.

import { writeSync } from 'node:fs'
import { createMerchantIn } from '../actions/merchants/create-merchant.ts'
import { createDemoPeopleIn, findDemoCredentials, prepareDemoPeople } from '../actions/people/demo-people.ts'
import { type Config, readConfig, SettingRefused } from '../config.ts'
import type { ServiceItself } from '../domain/caller.ts'
import { lookUp } from '../domain/look-up.ts'
import { isThereAMerchant } from '../store/merchants/accounts.ts'
import { writeFactOnce } from '../store/service/service-facts.ts'
import { checkFileModes, checkSettings, describeDemo } from './check-up.ts'
import { openService, type Service } from './compose.ts'
import type { Runtime } from './runtime.ts'
import { writeServerAddress } from './server-address.ts'
import { type Demo, startText } from './start-text.ts'

const FIRST_START: ServiceItself = { is: 'service', part: 'first start' }
const LOG_WRITTEN_WITHIN_MS = 2_000

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
  // Often told twice: npm passes it on to a process that was told already. Who presses Ctrl+C twice wants no orderly stop.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, stopOnce)
  process.once('SIGINT', stopOnce)
  try {
    await refuseDemo(service)
    const wantsDemo = config.mode === 'development' && config.role !== 'worker'
    const demo = wantsDemo ? await makeDemoMerchant(service) : undefined
    const listening = await listen(service)
    if (config.role !== 'worker') forgetAddress = writeServerAddress(config.dataDir, listening)
    const { mailPagePath } = service
    const mailPage = mailPagePath && listening + mailPagePath
    writeSync(1, startText({ config, address: config.publicUrl || listening, mailPage, demo }))
  } catch (error) {
    await service.close()
    throw error
  }
}

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
    throw new SettingRefused(`Other users of this machine can read ${open.found}: run chmod 600 on it.`)
  }
}

/** Whoever has seen the terminal of the first start in development has these passwords and keys. */
async function refuseDemo(runtime: Runtime): Promise<void> {
  const demo = runtime.config.mode === 'production' ? await findDemoCredentials(runtime) : undefined
  if (demo === undefined) return
  throw new SettingRefused(
    `This store has the demo of a start in development (${describeDemo(demo)}), whose passwords and keys were printed: run \`npm run -s karba -- demo remove\`, or use another store.`,
  )
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

/** Finishes what is under way, closes the store, and exits with 0; with 1 when that takes longer than it may. */
async function stop({ log, clock, config, close }: Service, signal: string): Promise<void> {
  log.info({ signal }, 'stopping')
  clock.after(config.stopWithinMs, () => {
    log.warn('stopping took too long: what was under way is left as after a crash, and goes on at the next start')
    end(1)
  })
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

/** Only in a store that never had a merchant; of several processes that start together, one makes it. */
async function makeDemoMerchant(runtime: Runtime): Promise<Demo | undefined> {
  const { db, clock } = runtime
  if (await isThereAMerchant(db)) return undefined
  const prepared = await prepareDemoPeople(runtime)
  return db.transaction(async (tx) => {
    if (await isThereAMerchant(tx)) return undefined
    const mine = `${process.pid} at ${clock.now()}`
    if ((await writeFactOnce(tx, 'demo_merchant_made_by', mine)) !== mine) return undefined
    const merchant = await createMerchantIn(runtime, tx, FIRST_START, { name: 'Boutique Démo', validateLive: false })
    const { merchantId } = merchant
    return { ...merchant, people: await createDemoPeopleIn(runtime, tx, FIRST_START, { merchantId, prepared }) }
  })
}
