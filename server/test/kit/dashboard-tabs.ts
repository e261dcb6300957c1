// A whole service with its dashboard in a real browser, for end-to-end tests: tabs with their own
// cookies, the emails that people get.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, Page as Tab } from 'playwright-core'
import type { Email } from '../../src/actions/emails/emails.ts'
import { openBrowser } from './browser.ts'
import { openTestService } from './service.ts'
import { until } from './waiting.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Builds the page when it is missing or older than its sources. */
export async function buildDashboard(): Promise<string> {
  await promisify(execFile)(process.execPath, ['scripts/build-dashboard.mjs', '--strict'], {
    cwd: ROOT,
  })
  const folder = `${ROOT}dashboard/dist/`
  if (!existsSync(`${folder}index.html`)) throw new Error('the page was not built')
  return folder
}

export type DashboardTabs = Awaited<ReturnType<typeof openDashboardTabs>>

export async function openDashboardTabs(settings: Record<string, string> = {}) {
  await buildDashboard()
  const emails: Email[] = []
  const mailSender = {
    send: async (sent: Email) => void emails.unshift(sent),
    close: async () => {},
  }
  const service = await openTestService(undefined, settings, { mailSender })
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const browser: Browser = await openBrowser()
  /** Errors of the pages and of the content security policy, in any tab. */
  const complaints: string[] = []
  return {
    service,
    url,
    /** A new browser profile each time; `cookie` is an existing session. */
    async newTab(locale: 'fr' | 'en', cookie?: string): Promise<Tab> {
      const context = await browser.newContext({ locale, reducedMotion: 'reduce' })
      const [name, value] = cookie?.split('=') ?? []
      if (name !== undefined && value !== undefined)
        await context.addCookies([{ name, value, url }])
      const tab = await context.newPage()
      tab.on('pageerror', (error) => complaints.push(error.message))
      tab.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) complaints.push(message.text())
      })
      return tab
    },
    complaints,
    /** The address in the newest email to `email` whose subject matches, once it is sent. */
    async addressInEmail(email: string, subject: RegExp): Promise<string> {
      const find = () => emails.find((sent) => sent.to === email && subject.test(sent.subject))
      const { text } = await until(`email to ${email}`, find)
      return url + /\/dashboard\/\S+/.exec(text)?.[0]
    },
    async close(): Promise<void> {
      await browser.close()
      await service.remove()
    },
  }
}
