// For work on the page alone: Vite's own server answers the page's requests from the fixtures.
import type { Plugin } from 'vite'
import { answerFixture } from './fixtures.ts'

const API = '/dashboard/api/'

export const fixtureAnswers = (): Plugin => ({
  name: 'karba-fixtures',
  apply: 'serve',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
      if (!pathname.startsWith(API)) return next()
      const { method = 'GET', headers } = request
      const asked = { method, path: pathname.slice(API.length), search: searchParams, cookie: headers.cookie ?? '' }
      const { status, body, type = 'application/json' } = answerFixture(asked, Date.now())
      response.writeHead(status, { 'content-type': type })
      response.end(type === 'application/json' ? JSON.stringify(body) : String(body))
    })
  },
})
