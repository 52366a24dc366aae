import { test } from 'node:test'
import { setStage } from '/work/wt/objects/server/test/stage/postern.ts'
import { flavours } from '/work/wt/objects/server/test/stage/database.ts'
for (const flavour of flavours)
test('x ' + flavour, async () => {
  await using stage = await setStage({ flavour, seed: { apps: [{ id: '1', name: 'Demo', consumer_key: 'key-one-of-the-tests', consumer_secret: 'secret-one-of-the-tests' }], users: [{ id: '101', username: 'Ann' }, { id: '102', username: 'bob', disabled: true }] } })
  const token = await stage.token({ consumer_key: 'key-one-of-the-tests', consumer_secret: 'secret-one-of-the-tests' })
  for (const p of ['/2/users/101?user.fields=created_at,public_metrics,protected,connection_status', '/2/users?ids=101,102,103,99999999999999999999', '/2/users?ids=101,102,103', '/2/users/by/username/ANN', '/2/users/101/posts', '/2/posts?ids=1,2&expansions=author_id', '/2/users/by?usernames=ann,zoe&tweet.fields=referenced_tweets&expansions=pinned_tweet_id', '/2/posts/1?post.fields=foo']) {
    const a = await stage.api('GET', p, { token })
    console.log(p, a.status, a.text.slice(0, 600))
  }
  for (const l of stage.log.filter((l) => l.level >= 50)) console.log(JSON.stringify(l).slice(0, 800))
})
