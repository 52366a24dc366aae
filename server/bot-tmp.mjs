import { TwitterApi } from 'twitter-api-v2'
const bot = new TwitterApi({ appKey:'demo-consumer-key', appSecret:'demo-consumer-secret-for-development-only', accessToken:'101-demo-access-token', accessSecret:'demo-access-token-secret-for-development-only'})
console.log(await bot.v2.me())
console.log((await bot.v2.tweet('Ahoy from '+Math.random())).data)
const link = await new TwitterApi({ appKey:'demo-consumer-key', appSecret:'demo-consumer-secret-for-development-only'}).generateAuthLink('oob')
console.log(link.url, process.stdout.isTTY)
const o = new TwitterApi({clientId:'demo-oauth2-client', clientSecret:'x'}).generateOAuth2AuthLink('http://127.0.0.1:3009/cb',{scope:['users.read']})
console.log(o.url)
