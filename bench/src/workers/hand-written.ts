// What a user would write by hand: Fastify, three statements, objects, JSON.stringify. It has no credentials, selection, visibility or limits.
import { fastify } from 'fastify'
import { connect } from '../posts/connect.ts'
import { readArgument, serve } from './serve.ts'

const { url: databaseUrl } = readArgument<{ url: string }>()
const isSqlite = databaseUrl.startsWith('sqlite:')
const { readRows, ...connection } = await connect(databaseUrl)

const among = (column: string, type: string) =>
  isSqlite ? `${column} in (select value from json_each($1))` : `${column} = any($1::${type}[])`
const keys = (values: readonly string[], isNumber = false) =>
  isSqlite ? (isNumber ? `[${values.join()}]` : JSON.stringify(values)) : values

const POSTS = `select cast(id as text), text, author_id, created_at_ms, entities, media_keys, repost_count, reply_count, like_count, quote_count,
  bookmark_count, impression_count from posts where ${among('id', 'bigint')}`
const USERS = `select id, name, username, verified from users join profiles on profiles.user_id = users.id where ${among('id', 'text')}`
const MEDIA = `select media_key, type, height, url, width from media where ${among('media_key', 'text')}`

async function read(ids: readonly string[]): Promise<string> {
  const rows = new Map((await readRows(POSTS, [keys(ids, true)])).map((row) => [row[0], row]))
  const authors = new Set<string>()
  const attached = new Set<string>()
  const data = ids.flatMap((id) => {
    const row = rows.get(id)
    if (!row) return []
    const [, text, author, createdMs, entities, mediaKeys, reposts, replies, likes, quotes, bookmarks, impressions] = row
    const media_keys = JSON.parse((mediaKeys as string | null) ?? '[]') as string[]
    authors.add(author as string)
    for (const key of media_keys) attached.add(key)
    return {
      id,
      text,
      edit_history_post_ids: [id],
      attachments: { media_keys },
      author_id: author,
      created_at: new Date(Number(createdMs)).toISOString(),
      entities: JSON.parse((entities as string | null) ?? '{}'),
      public_metrics: {
        repost_count: Number(reposts),
        reply_count: Number(replies),
        like_count: Number(likes),
        quote_count: Number(quotes),
        bookmark_count: Number(bookmarks),
        impression_count: Number(impressions),
      },
    }
  })
  const [users, media] = await Promise.all([readRows(USERS, [keys([...authors])]), readRows(MEDIA, [keys([...attached])])])
  return JSON.stringify({
    data,
    includes: {
      users: users.map(([id, name, username, verified]) => ({ id, name, username, verified: Boolean(verified) })),
      media: media.map(([media_key, type, height, url, width]) => ({ media_key, type, height: Number(height), url, width: Number(width) })),
    },
  })
}

const app = fastify()
app.get('/2/posts', async (request, reply) => {
  const { ids } = request.query as { ids: string }
  return reply.type('application/json; charset=utf-8').send(await read(ids.split(',')))
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })

serve(
  async () => ({ url }),
  async () => {
    await app.close()
    await connection[Symbol.asyncDispose]()
  },
)
