// How the page is built: one file for what every page needs, one for each page, names that carry a hash. No inline script or style: the
// server's policy allows neither (ADR-0018).
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { answerFixture } from './dev/fixtures.ts'

/** With `npm run dev`: everything but the page itself is answered by the server. */
const SERVER = { proxy: { '^/(?!dashboard(?!/(api|mail)/))': `http://127.0.0.1:${process.env.PORT ?? 8080}` } }

const API = '/dashboard/api/'

/** For work on the pages without a server: Vite answers their requests from the fixtures. */
const fixtureAnswers = (): Plugin => ({
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

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), mode === 'server' ? [] : fixtureAnswers()],
  server: { host: '127.0.0.1', strictPort: true, ...(mode === 'server' ? SERVER : {}) },
  // The server puts a fresh value in its place with every answer.
  html: { cspNonce: '{{nonce}}' },
  build: {
    outDir: 'dist',
    target: 'es2022',
    // An image as a data: address would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Two files that change seldom, instead of fifty small ones: on a slow line each request costs a second.
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules/, priority: 2 },
            {
              name: 'parts',
              test: /dashboard\/src\/(parts|api|shell|words\/language|format|theme)/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
}))
