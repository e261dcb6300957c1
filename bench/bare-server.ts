// The baseline: Fastify with its defaults, a POST and a GET whose bodies have the size of ours, and a page of the requested size. All
// answers are constants.
import Fastify from 'fastify'

const created = {
  status: 'pending',
  reference: '60dvs8n73hy897smacktapcy',
  public_reference: 'XF5X-ZEBB-9',
  meta_data: { operator: 'airtel_ne' },
}
const read = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-00001234',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'pending',
  msisdn: '96123456',
  amount: 1500,
}

const app = Fastify()
app.post('/api/v1/payments', (_request, reply) => reply.send(created))
app.get('/api/v1/payments/:reference', (_request, reply) => reply.send(read))
const pages = new Map<number, string>()
app.get('/page/:size', (request, reply) => {
  const size = Number((request.params as { size: string }).size)
  if (!pages.has(size)) pages.set(size, 'x'.repeat(size))
  return reply.header('content-type', 'text/html; charset=utf-8').send(pages.get(size))
})
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
