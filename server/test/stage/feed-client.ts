import { OPERATOR_TOKEN, type Stage } from './postern.ts'

interface Message {
  event: string
  id: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: updates have members of every kind
  data: any
}

/** A client of `GET /operator/feed`. */
export async function follow(stage: Stage, after?: string) {
  const leaves = new AbortController()
  const answer = await fetch(`${stage.origins.operator_url}/operator/feed`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(after !== undefined && { 'last-event-id': after }) },
    signal: leaves.signal,
  })
  const messages: Message[] = []
  const read = async () => {
    let text = ''
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        if (field('event')) messages.push({ event: field('event')!, id: field('id'), data: JSON.parse(field('data')!) })
      }
    }
  }
  const ended = read().catch(() => {})
  return {
    answer,
    messages,
    updates: () => messages.filter(({ event }) => event === 'updates').flatMap(({ data }) => data.updates),
    async [Symbol.asyncDispose]() {
      leaves.abort()
      await ended
    },
  }
}
