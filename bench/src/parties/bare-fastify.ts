// Fastify alone: parses JSON and answers 202 with as many bytes as Postern does.
import { fastify } from 'fastify'
import { argument, serve } from './serve.ts'

const { answer } = argument<{ answer: object }>()
const app = fastify({ bodyLimit: 64 * 1024 * 1024 })
app.post('/operator/events', (_request, reply) => reply.code(202).send(answer))
const url = await app.listen({ port: 0, host: '127.0.0.1' })

serve(
  async () => ({ url }),
  () => app.close(),
)
