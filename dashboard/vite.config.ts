// How the page is built: one file for what every page needs, one for each page, names that carry a
// hash. No inline script or style: the server's policy allows neither (ADR-0018).
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** With `npm run dev`, the server answers everything but the page itself. */
const SERVER = `http://127.0.0.1:${process.env.PORT ?? 8080}`

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    strictPort: true,
    proxy: { '^/(?!dashboard(?!/(api|mail)/))': SERVER },
  },
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
      // What a page imports by the server’s contract comes with that page, not with every page.
      treeshake: { moduleSideEffects: [{ test: /server\/src\//, sideEffects: false }] },
      output: {
        // Two files that change seldom, instead of fifty small ones: on a slow line each request
        // costs a second.
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
})
