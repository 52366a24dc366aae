// NODE_OPTIONS=--experimental-vm-modules npx jest
import { connectPostern } from 'postern'

let postern

beforeAll(async () => {
  postern = await connectPostern()
})

test('the bot posts as its user', async () => {
  const { accessToken } = postern.app.userCredentials('ada')
  expect(accessToken).toBe('101-demo-access-token')
})

test('the bot hears of a direct message', async () => {
  await postern.inbox.register({ events: ['dm.received'] })

  await postern.trigger('dm.received', { to: 'ada', text: 'Hello' })

  expect(await postern.inbox.next('dm.received')).toMatchObject({ verified: true, user_id: '101' })
})
