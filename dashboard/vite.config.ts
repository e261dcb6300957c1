// How the page is built: one file for what every page needs, one for each page, names that carry a hash. No inline script or style: the
// server's policy allows neither (D-110).
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { fixtureAnswers } from './dev/vite-fixtures.ts'

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), fixtureAnswers()],
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
              test: /dashboard\/src\/(parts|session|api|shell|words\/language|format|theme|nonce)/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
})
