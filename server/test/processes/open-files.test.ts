// A server with a low limit on open files: silent connections leave it room to answer others, to call networks and to write its store, and
// /readyz names the cause when no file can be opened.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, order } from '../kit/service.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const OPEN_FILES = 300
const SILENT = 600

const succeeds = (command: string, args: string[]): boolean => spawnSync(command, args).status === 0
const canLimit = process.platform === 'linux' && succeeds('prlimit', ['--version'])

describe(`a server that may open ${OPEN_FILES} files`, { skip: !canLimit }, () => {
  let place: StorePlace
  let server: RunningServer
  let secretKey: string
  const silent: Socket[] = []
  before(async () => {
    const settings = { KARBA_LOG_LEVEL: 'warn', KARBA_SANDBOX_DELAY_MS: '100', KARBA_CONNECTIONS: '10000' }
    place = await SQLITE.makePlace(settings)
    server = await startProcess(place.env, undefined, undefined, OPEN_FILES)
    secretKey = /sk_sandbox_\w+/.exec(server.printed())?.[0] as string
  })
  after(async () => {
    for (const socket of silent) socket.destroy()
    await server.end('SIGKILL')
    await place.remove()
  })

  it('warns at its start with both numbers', () => {
    const sentence = `KARBA_CONNECTIONS is 10000, and this process may open ${OPEN_FILES} files: it holds 150 connections at most.`
    assert.ok(server.printed().includes(sentence), server.printed())
  })

  it('answers, records and settles beside more silent connections than it may have files', async () => {
    const { hostname: host, port } = new URL(server.url)
    while (silent.length < SILENT) {
      const some = Array.from({ length: 50 }, () => connect({ host, port: Number(port) }).on('error', () => {}))
      silent.push(...some)
      await Promise.all(some.map((socket) => once(socket, 'connect')))
    }
    const url = `${server.url}/api/v1/payments`
    const headers = { ...head(secretKey), connection: 'close' }
    const references = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const body = JSON.stringify(order({ msisdn: '40410000000' }))
        const answer = await fetch(url, { method: 'POST', headers, body })
        assert.equal(answer.status, 200)
        return ((await answer.json()) as { reference: string }).reference
      }),
    )
    await until('end of all payments', async () => {
      const reads = references.map(async (reference) => {
        const answer = await fetch(`${url}/${reference}`, { headers })
        return ((await answer.json()) as { status: string }).status
      })
      return (await Promise.all(reads)).every((status) => status === 'succeeded')
    })
    const ready = await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })
    assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ready' }])
  })

  it('names the cause in /readyz when it can open no file', async () => {
    for (const socket of silent.splice(0)) socket.destroy()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    // On one connection that is open already: a new one would be an open file.
    async function failing(): Promise<string[]> {
      const [answer] = await once(get(`${server.url}/readyz`, { agent }), 'response')
      return ((await json(answer)) as { failing?: string[] }).failing ?? []
    }
    const limit = (files: number): boolean => succeeds('prlimit', [`--pid=${server.child.pid}`, `--nofile=${files}:`])
    await until('a server that is ready', async () => (await failing()).length === 0)
    // A new descriptor is the lowest free number: none below the limit is left.
    const open = readdirSync(`/proc/${server.child.pid}/fd`).map(Number)
    const lowestFree = Array.from({ length: OPEN_FILES }, (_, fd) => fd).find((fd) => !open.includes(fd)) as number
    assert.ok(limit(lowestFree))
    await until('name of the cause', async () => (await failing())[0] === 'open_files')
    assert.ok(limit(OPEN_FILES))
    await until('a server that is ready again', async () => (await failing()).length === 0)
    agent.destroy()
  })
})
