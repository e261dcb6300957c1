// npm run dev: the server, and the dashboard served by Vite, which proxies all other requests to
// it. Ctrl-C ends both. Vite's watcher restarts the server: `node --watch` (24.21) did not notice a
// second change.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const page = join(root, 'dashboard')

/** Waits for the end of a burst of changes, such as a checkout. */
const SETTLE_MS = 200

const { createServer } = await import(
  pathToFileURL(createRequire(join(page, 'package.json')).resolve('vite')).href
)
const vite = await createServer({ configFile: join(page, 'vite.config.ts') })
await vite.listen()
process.stdout.write(`Dashboard with hot reload: ${vite.resolvedUrls.local[0]}\n`)

let ending = false
let restarting = false
let timer
let server = start()

function start() {
  restarting = false
  const child = spawn(process.execPath, ['server/src/main.js'], { cwd: root, stdio: 'inherit' })
  child.on('exit', async () => {
    if (ending) {
      await vite.close()
      process.exit(0)
    }
    if (restarting) server = start()
    else
      process.stdout.write('The server has ended. It starts again when one of its files changes.\n')
  })
  return child
}

vite.watcher.add(join(root, 'server'))
vite.watcher.on('all', (_event, file) => {
  if (
    !/\/server\/(src|migrations)\/.*\.(ts|sql|js|css|html)$/.test(file.replaceAll('\\', '/')) ||
    file.endsWith('.test.ts')
  )
    return
  clearTimeout(timer)
  timer = setTimeout(() => {
    if (server.exitCode !== null || server.signalCode !== null) server = start()
    else {
      restarting = true
      server.kill('SIGTERM')
    }
  }, SETTLE_MS)
})

const end = () => {
  ending = true
  clearTimeout(timer)
  if (server.exitCode !== null || server.signalCode !== null) process.exit(0)
  server.kill('SIGTERM')
}
process.on('SIGINT', end).on('SIGTERM', end)
