// The dashboard's page as the server sends it, with fixtures in the place of the server's answers: for tests that look
// at the page alone.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { answerFixture } from '../../../dashboard/dev/fixtures.ts'
import { dashboardPages } from '../../src/dashboard-api/static.ts'
import { seededRandom } from './seeded-random.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Noon of a day in November: what the fixtures show is the same in every run. */
export const FIXTURE_NOW = Date.parse('2026-11-15T12:00:00+01:00')

/** Builds the page when it is missing or older than its sources. */
export async function buildDashboard(): Promise<string> {
  await promisify(execFile)(process.execPath, ['scripts/build-dashboard.mjs', '--strict'], { cwd: ROOT })
  const folder = `${ROOT}dashboard/dist/`
  if (!existsSync(`${folder}index.html`)) throw new Error('the page was not built')
  return folder
}

export interface FixtureServer {
  url: string
  close(): Promise<void>
}

export async function serveFixtures(): Promise<FixtureServer> {
  const app = Fastify({ exposeHeadRoutes: false })
  dashboardPages(app, { random: seededRandom(1) })
  app.get('/dashboard/api/accounts/:accountId/live', async (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.all('/dashboard/api/*', async (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    const search = new URLSearchParams(request.query as Record<string, string>)
    const asked = { method: request.method, path, search, cookie: request.headers.cookie ?? '' }
    const { status, body, type = 'application/json' } = answerFixture(asked, FIXTURE_NOW)
    return reply
      .code(status)
      .type(type)
      .send(type === 'application/json' ? JSON.stringify(body) : body)
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
