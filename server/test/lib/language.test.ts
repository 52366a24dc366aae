import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf } from '../../src/lib/post-text/language.ts'

const sentences: Record<string, string[]> = {
  en: [
    'The tide comes in twice a day and nobody has ever been able to stop it.',
    'Looking forward to the meeting with everyone tomorrow morning',
  ],
  de: ['Wir haben heute Morgen die Boote aus dem Wasser geholt und gereinigt.', 'Das Wetter wird am Wochenende endlich wieder besser'],
  fr: ['Le train de nuit est encore une fois en retard à cause de la neige.', 'Je ne comprends pas pourquoi tout le monde en parle'],
  es: ['Esta mañana hemos visto delfines muy cerca de la playa.', 'No entiendo por qué siempre llega tarde a las reuniones'],
  pt: ['Não consigo acreditar que já estamos no fim do ano'],
  it: ['Questa mattina abbiamo visto i delfini molto vicino alla spiaggia.'],
  nl: ['Vanochtend hebben we dolfijnen gezien vlak bij het strand.', 'Ik begrijp niet waarom hij altijd te laat komt'],
  ru: ['Сегодня утром мы видели дельфинов совсем рядом с пляжем.'],
  tr: ['Bu sabah sahile çok yakın yunuslar gördük ve çok mutlu olduk.'],
  in: ['Pagi ini kami melihat lumba-lumba sangat dekat dengan pantai.'],
  ja: ['今朝、海岸の近くでイルカを見ました。'],
  ko: ['오늘 아침 해변 가까이에서 돌고래를 보았습니다.'],
  ar: ['رأينا هذا الصباح الدلافين قريبة جدا من الشاطئ.'],
  zh: ['今天早上我们在海滩附近看到了海豚。'],
}

test('the language of a written-out sentence is known', () => {
  for (const [code, texts] of Object.entries(sentences)) for (const text of texts) assert.equal(languageOf(text), code, text)
})

test('names and links do not decide a language', () => {
  const text = '@guten_morgen #wirhabenheute https://example.com/das/wetter/wird We saw the dolphins very close to the beach this morning'
  assert.equal(languageOf(text), 'en')
})

test('a text that is short, has no words or is of no clear language has none', () => {
  for (const text of [
    '',
    'ok',
    'Hi!',
    '12345 67890 12345',
    '🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊🌊',
    '@ada #tides https://example.com/1',
    'Goedemorgen allemaal',
    'Guten Morgen zusammen',
  ])
    assert.equal(languageOf(text), 'und', text)
})
