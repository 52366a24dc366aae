import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { rawRows } from '../storage/samples.ts'

for (const flavour of databasesOf(import.meta))
  suite(`media on ${flavour}`, () => {
    test('media are found by their keys for apps and users, and each that is missing has its problem', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101', '102') })
      await rawRows(
        stage.databaseUrl,
        `insert into media (media_key, owner_id, type, url, width, height, created_at_ms, view_count, more)
          values ('3_2001', '101', 'photo', 'https://media.example/1.jpg', 640, 480, 0, 7, '{"non_public_metrics":{"playback_0_count":1}}')`,
      )
      await postAs(stage, '101', 'A tide', { media: { media_ids: ['2001'] } })
      const token = await stage.token()
      const path = '/2/media/3_2001?media.fields=height,public_metrics,url,width'
      const data = {
        media_key: '3_2001',
        type: 'photo',
        url: 'https://media.example/1.jpg',
        width: 640,
        height: 480,
        public_metrics: { view_count: 7 },
      }
      assert.deepEqual((await stage.api('GET', path, { token })).body, { data })
      assert.deepEqual((await callAs(stage, '102', 'GET', path)).body, { data })
      const several = (await stage.api('GET', '/2/media?media_keys=3_2001,7_2009', { token })).body
      assert.deepEqual(several.data, [{ media_key: '3_2001', type: 'photo' }])
      const { type, ...error } = several.errors[0]
      assert.deepEqual(error, {
        value: '7_2009',
        parameter: 'media_keys',
        resource_id: '7_2009',
        resource_type: 'media',
        title: 'Not Found Error',
        detail: 'Could not find media with media_keys: [7_2009].',
      })
      assert.equal(
        (await stage.api('GET', '/2/media/7_2009', { token })).body.errors[0].detail,
        'Could not find media with media_key: [7_2009].',
      )
    })

    test('metrics that are not public are for the owner', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101', '102') })
      await rawRows(
        stage.databaseUrl,
        `insert into media (media_key, owner_id, type, created_at_ms, view_count, more)
          values ('7_2001', '101', 'video', 0, 0, '{"non_public_metrics":{"playback_0_count":1}}')`,
      )
      await postAs(stage, '101', 'A tide', { media: { media_ids: ['2001'] } })
      const path = '/2/media/7_2001?media.fields=non_public_metrics'
      const own = { media_key: '7_2001', type: 'video', non_public_metrics: { playback_0_count: 1 } }
      assert.deepEqual((await callAs(stage, '101', 'GET', path)).body, { data: own })
      const foreign = (await callAs(stage, '102', 'GET', path)).body
      assert.deepEqual([foreign.data, foreign.errors[0].title], [undefined, 'Field Authorization Error'])
    })

    test('a post has up to 4 images, or 1 GIF, or 1 video, each once', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101') })
      const rows = [1, 2, 3, 4].flatMap((n) => [`('3_${n}', 'photo')`, `('7_1${n}', 'video')`, `('16_2${n}', 'animated_gif')`])
      await rawRows(
        stage.databaseUrl,
        `insert into media (media_key, owner_id, type, created_at_ms, view_count)
          select column1, '101', column2, 0, 0 from (values ${rows.join()}) as given returning 1`,
      )
      const post = (media_ids: string[]) =>
        callAs(stage, '101', 'POST', '/2/posts', { json: { text: media_ids.join(), media: { media_ids } } })
      for (const fits of [['1', '2', '3', '4'], ['21'], ['11']]) assert.equal((await post(fits)).status, 201, fits.join())
      const only = '$.media.media_ids: must be up to 4 images, or 1 GIF, or 1 video'
      for (const [mediaIds, message] of [
        [['11', '12', '13', '14'], only],
        [['21', '22'], only],
        [['1', '21'], only],
        [['11', '1'], only],
        [['1', '1'], '$.media.media_ids: must name each of them once'],
      ] as const) {
        const { status, body } = await post([...mediaIds])
        assert.deepEqual([status, body.errors], [400, [{ message, parameters: { media: mediaIds } }]])
      }
    })

    test('a text that is no media key, and more than 100 keys, are rejected', async () => {
      await using stage = await setStage({ flavour, seed: usersSeed('101') })
      const token = await stage.token()
      const keys = (count: number) => Array.from({ length: count }, (_, place) => `3_${place}`).join()
      assert.equal((await stage.api('GET', `/2/media?media_keys=${keys(100)}`, { token })).status, 200)
      for (const wrong of [`media_keys=${keys(101)}`, 'media_keys=3-1', 'media_keys=3_1,x', ''])
        assert.equal((await stage.api('GET', `/2/media?${wrong}`, { token })).status, 400, wrong.slice(0, 40))
      assert.equal((await stage.api('GET', '/2/media/x', { token })).status, 400)
    })
  })
