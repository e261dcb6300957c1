// The counter screen and the poster in a browser: what a cashier sees on a cheap phone, a cut
// connection, the first load, accessibility in every combination, and both QR codes of a poster as
// a camera reads them.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import jsqr from 'jsqr'
import type { Page as Tab } from 'playwright-core'
import { browserTests } from '../kit/browser.ts'
import { openDashboardTabs } from '../kit/dashboard-tabs.ts'
import { ask, PASSWORD, signedIn } from '../kit/people.ts'
import { listenLocally } from '../kit/process.ts'
import { order, post } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'
import { newLink, SUCCEEDS_AT_ONCE } from '../links/payer.ts'
import { inspect } from './inspect-page.ts'

const MOST_BYTES = 100 * 1024
const SIZES = [
  { width: 360, height: 740 },
  { width: 1280, height: 860 },
]
const NOTHING = { barriers: [], cutOff: [], tooSmall: [] }

/** Two for each sound. */
const COUNT_TONES = `globalThis.tones = 0
const make = AudioContext.prototype.createOscillator
AudioContext.prototype.createOscillator = function () { globalThis.tones++; return make.call(this) }`

/** A line to the service that a test can cut: open connections break, new ones are refused. */
async function openLine(port: number) {
  const sockets = new Set<Socket>()
  const line = { isCut: false, bytes: 0 }
  const server = createServer((near) => {
    if (line.isCut) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
    }
    far.on('data', (chunk) => {
      line.bytes += chunk.length
    })
    near.pipe(far)
    far.pipe(near)
  })
  return {
    line,
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    cut(isCut: boolean): void {
      line.isCut = isCut
      if (isCut) for (const socket of sockets) socket.destroy()
    },
    close(): void {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe('counter screen in a browser', browserTests, async () => {
  const tabs = await openDashboardTabs({ KARBA_SANDBOX_DELAY_MS: '0' })
  const { service, url } = tabs
  const phoneLine = await openLine(Number(new URL(url).port))
  after(async () => {
    phoneLine.close()
    await tabs.close()
  })
  const merchant = await service.merchant({ name: 'Boutique Awa' })
  const { sandbox, live } = merchant.accounts
  const cashier = await signedIn(service, { at: merchant.merchantId, as: 'cashier' })
  const pay = async (count = 1): Promise<string[]> => {
    const made = []
    for (let at = 0; at < count; at++)
      made.push(
        (await post(service, sandbox.secretKey, order({ msisdn: SUCCEEDS_AT_ONCE }))).body
          .public_reference,
      )
    return made.map(String)
  }
  const shown = (tab: Tab): Promise<string[]> => tab.locator('#list bdi').allTextContents()

  it('counter screen: the first load is below 100 KB; a payment appears with a sound after a touch', async () => {
    const tab = await tabs.newTab('fr', cashier.cookie)
    await tab
      .context()
      .addCookies([
        { name: 'karba', value: cashier.cookie.split('=')[1] as string, url: phoneLine.url },
      ])
    await tab.addInitScript(COUNT_TONES)
    await tab.setViewportSize({ width: 360, height: 740 })
    const before = phoneLine.line.bytes
    await tab.goto(`${phoneLine.url}/dashboard/counter/${sandbox.accountId}`)
    await tab.getByText('Connecté').waitFor()
    const loaded = phoneLine.line.bytes - before
    assert.ok(loaded < MOST_BYTES, `${loaded} bytes`)
    await tab.getByText('TEST : bac à sable').waitFor()
    await tab.getByText('Aucun paiement reçu aujourd’hui').waitFor()
    await tab.getByRole('button', { name: 'Activer le son' }).click()
    await tab.getByRole('button', { name: 'Son activé', pressed: true }).waitFor()
    const tones = () => tab.evaluate('globalThis.tones') as Promise<number>
    const first = await tones()
    const paid = await pay()
    await until('payment on the screen', async () => (await shown(tab)).length === 1)
    assert.deepEqual(await shown(tab), paid)
    assert.equal(await tones(), first + 2)
    assert.doesNotMatch(
      await tab.locator('main').innerText(),
      new RegExp(`Awa|${SUCCEEDS_AT_ONCE}`),
    )

    // The line is cut: payments go on without it.
    phoneLine.cut(true)
    await tab.getByText('Connexion perdue depuis').waitFor()
    paid.push(...(await pay(3)))
    assert.equal((await shown(tab)).length, 1)
    phoneLine.cut(false)
    await tab.getByText('Connecté').waitFor()
    paid.push(...(await pay(2)))
    await until('all payments on the screen', async () => (await shown(tab)).length >= paid.length)
    assert.deepEqual((await shown(tab)).sort(), paid.sort())
    assert.deepEqual(tabs.complaints, [])
    await tab.context().close()
  })

  it('counter screen: without a session it leads to the sign-in and back', async () => {
    const tab = await tabs.newTab('en')
    await tab.goto(`${url}/dashboard/counter/${sandbox.accountId}`)
    await tab.getByLabel('Email address').waitFor()
    assert.match(tab.url(), /sign-in\?back=/)
    const [name, value] = cashier.cookie.split('=') as [string, string]
    await tab.context().addCookies([{ name, value, url }])
    await tab.goto(`${url}/dashboard/`)
    await tab.getByRole('heading').first().waitFor()
    await tab.evaluate(`history.pushState(null, '', '/dashboard/counter/${sandbox.accountId}')`)
    await tab.getByText('Connected', { exact: true }).waitFor()
    await tab.context().close()
  })

  it('counter screen: axe finds nothing and nothing is cut off, in both languages, colours, sizes and environments', async () => {
    const tab = await tabs.newTab('fr', cashier.cookie)
    for (const { accountId } of [sandbox, live])
      for (const language of ['fr', 'en']) {
        await tab.goto(`${url}/dashboard/counter/${accountId}?lang=${language}`)
        await tab.locator('.on').waitFor()
        for (const size of SIZES) {
          await tab.setViewportSize(size)
          for (const colorScheme of ['light', 'dark'] as const) {
            await tab.emulateMedia({ colorScheme })
            const inLight = language === 'fr' ? 'whole' : 'size'
            const found = await inspect(tab, colorScheme === 'dark' ? 'colours' : inLight)
            assert.deepEqual(
              found,
              NOTHING,
              [accountId, language, colorScheme, size.width].join(' '),
            )
          }
        }
      }
    await tab.context().close()
  })

  it('posters: a camera reads the page’s address and the PI-SPI text, and the short address opens the page', async () => {
    const owner = await signedIn(service, { at: merchant.merchantId, as: 'owner' })
    const at = `/accounts/${live.accountId}` as const
    const alias = '3497a720-ab11-4973-9619-534e04f263a1'
    await ask(service, `PUT ${at}/settings/business`, owner, { country: 'NE' })
    await ask(service, `PUT ${at}/settings/pi-spi`, owner, { alias, password: PASSWORD })
    const link = await newLink(service, live.secretKey, {
      reusable: true,
      amount: 2_500,
      title: 'Au comptoir',
    })
    const tab = await tabs.newTab('fr', owner.cookie)
    // A camera sees more than a screen has pixels.
    const metrics = { width: 1280, height: 860, deviceScaleFactor: 2, mobile: false }
    await (await tab.context().newCDPSession(tab)).send(
      'Emulation.setDeviceMetricsOverride',
      metrics,
    )
    await tab.goto(`${url}/dashboard/api${at}/links/${link}/poster`)
    const codes = await tab.locator('.code svg').all()
    const texts = []
    for (const code of codes) texts.push(await readByCamera(tab, await code.screenshot()))
    assert.equal(texts[0], `${url}/pay/${link}`)
    assert.match(
      texts[1] ?? '',
      new RegExp(`^00020136560012int\\.bceao\\.pi0136${alias}52040000530395254042500`),
    )
    await tab.goto(`http://${(await tab.locator('.typed').innerText()).trim()}`)
    assert.match(tab.url(), new RegExp(`/pay/${link}`))
    await tab.context().close()
  })
})

/** Decodes the picture in an empty page: the poster's policy allows no script. */
async function readByCamera(tab: Tab, png: Buffer): Promise<string | undefined> {
  const empty = await tab.context().newPage()
  const pixels = (await empty.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob())
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const drawing = canvas.getContext('2d')
    drawing.drawImage(bitmap, 0, 0)
    return [bitmap.width, bitmap.height, [...drawing.getImageData(0, 0, bitmap.width, bitmap.height).data]]
  })()`)) as [number, number, number[]]
  await empty.close()
  const [width, height, data] = pixels
  return jsqr.default(Uint8ClampedArray.from(data), width, height)?.data
}
