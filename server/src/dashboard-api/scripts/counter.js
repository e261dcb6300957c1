// The script of the counter screen: follows the stream of payments, plays a sound for each new one,
// and shows when the connection is lost. `npm run minify` wraps it in a function and writes
// counter.min.js, which is what is inlined.

const words = JSON.parse(document.body.dataset.words)
const account = location.pathname.split('/').pop()
const api = '/dashboard/api/'
const byId = (id) => document.getElementById(id)
const [list, line, sound, full, none] = ['list', 'line', 'sound', 'full', 'none'].map(byId)
/** No beat for so long, and the connection counts as lost. */
const SILENCE_MS = 25000
const AGAIN_MS = 3000
const MOST = 100
const WEST_AFRICA_MS = 3600000

/** The shown payments by public reference. */
const items = new Map()
// The connection:
//
//   beginning  reads the session, and again after a failure
//   following  `source` is the stream after `last`; each beat or message sets heardAt
//   lost       lostAt is set: the screen says so until something is heard again
let last
let source
let heardAt = 0
let lostAt = 0
let audio
let wantsSound = localStorage.getItem('karba-counter-sound') !== 'off'

const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name])
const local = (at) => new Date(at + WEST_AFRICA_MS).toISOString()
const timeOf = (at) => local(at).slice(11, 16)
const dayOf = (at) => local(at).slice(0, 10)
const amountOf = (francs) =>
  `${String(francs).replace(/\B(?=(\d{3})+$)/g, words.thousands)}\u00a0F\u00a0CFA`

const make = (tag, text, name) => {
  const made = document.createElement(tag)
  if (name) made.className = name
  made.textContent = text
  return made
}

const rowOf = (payment) => {
  const item = document.createElement('li')
  const { amount, refunded, at, operator, lastDigits, publicReference } = payment
  const isBack = refunded >= amount
  item.append(make('b', amountOf(amount), isBack ? 'back' : ''), make('time', timeOf(at)))
  const payer = [operator, lastDigits && fill(words.number, { digits: lastDigits })]
    .filter(Boolean)
    .join(' · ')
  item.append(make('span', payer), make('bdi', publicReference))
  if (refunded > 0)
    item.append(
      make('em', isBack ? words.refunded : fill(words.inPart, { amount: amountOf(refunded) })),
    )
  return item
}

// Oldest first, as the stream sends them. Screen readers read out only what is added.
const put = (payment, isFresh) => {
  const before = items.get(payment.publicReference)
  const item = rowOf(payment)
  if (isFresh) {
    item.className = 'fresh'
    setTimeout(() => item.classList.remove('fresh'), 8000)
  }
  if (before) list.replaceChild(item, before.item)
  else list.insertBefore(item, list.firstChild)
  items.set(payment.publicReference, { item, at: payment.at })
}

const removeOld = () => {
  const today = dayOf(Date.now())
  for (const [reference, { item, at }] of items) {
    if (items.size <= MOST && dayOf(at) >= today) continue
    item.remove()
    items.delete(reference)
  }
  none.hidden = items.size > 0
}

// Two rising tones: they carry over the noise of a market.
const beep = () => {
  if (!wantsSound || !audio || audio.state !== 'running') return
  ;[880, 1320].forEach((pitch, at) => {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()]
    const start = audio.currentTime + at * 0.14
    tone.frequency.value = pitch
    volume.gain.setValueAtTime(0.5, start)
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.3)
    tone.connect(volume).connect(audio.destination)
    tone.start(start)
    tone.stop(start + 0.3)
  })
}

const take = ({ sequence, payments }) => {
  const isFirst = last === undefined
  let isAnyNew = false
  for (const payment of payments) {
    const isNew = !isFirst && !items.has(payment.publicReference) && payment.refunded === 0
    put(payment, isNew)
    isAnyNew = isAnyNew || isNew
  }
  last = sequence
  removeOld()
  if (isAnyNew) beep()
}

const heard = () => {
  heardAt = Date.now()
  if (lostAt === 0 && line.className === 'on') return
  lostAt = 0
  line.className = 'on'
  line.textContent = words.connected
}

const lose = () => {
  if (lostAt !== 0) return
  lostAt = heardAt || Date.now()
  line.className = 'off'
  line.textContent = fill(words.lost, { time: timeOf(lostAt) })
}

const follow = () => {
  if (source) source.close()
  heardAt = Date.now()
  source = new EventSource(
    `${api}accounts/${account}/counter${last === undefined ? '' : `?after=${last}`}`,
  )
  source.addEventListener('beat', heard)
  source.onmessage = ({ data }) => {
    heard()
    take(JSON.parse(data))
  }
  source.onerror = () => {
    lose()
    // A browser does not retry after an answer that is no stream, such as a refusal.
    if (source.readyState === 2) setTimeout(begin, AGAIN_MS)
  }
}

const begin = async () => {
  try {
    const answer = await fetch(`${api}session`, { cache: 'no-store' })
    if (answer.status === 401)
      return location.assign(`/dashboard/sign-in?back=${encodeURIComponent(`/counter/${account}`)}`)
    if (!answer.ok) throw 0
    const { merchants } = await answer.json()
    const merchant = merchants.find(({ accounts }) =>
      accounts.some(({ accountId }) => accountId === account),
    )
    if (!merchant) {
      line.textContent = words.missing
      return
    }
    byId('name').textContent = merchant.name
    const { environment } = merchant.accounts.find(({ accountId }) => accountId === account)
    byId('test').hidden = environment !== 'sandbox'
    byId('back').href = `/dashboard/a/${account}`
    follow()
  } catch (_) {
    lose()
    setTimeout(begin, AGAIN_MS)
  }
}

// A connection may be cut without an error: silence counts as one.
setInterval(() => {
  if (source && source.readyState !== 2 && Date.now() - heardAt > SILENCE_MS) {
    lose()
    follow()
  }
  removeOld()
}, 5000)
addEventListener('offline', lose)
addEventListener('online', () => source && follow())

const showSound = () => {
  const isReady = audio && audio.state === 'running'
  const wanted = isReady ? words.soundOn : words.soundTouch
  sound.textContent = wantsSound ? wanted : words.soundOff
  sound.setAttribute('aria-pressed', String(wantsSound && Boolean(isReady)))
}
// Browsers play no sound before the first touch.
const wake = async () => {
  audio = audio || new (window.AudioContext || window.webkitAudioContext)()
  await audio.resume()
  showSound()
  if (navigator.wakeLock) navigator.wakeLock.request('screen').catch(() => {})
}
sound.onclick = async (event) => {
  event.stopPropagation()
  wantsSound = !(wantsSound && audio && audio.state === 'running')
  localStorage.setItem('karba-counter-sound', wantsSound ? 'on' : 'off')
  await wake()
  beep()
}
document.addEventListener('click', wake)
document.addEventListener('visibilitychange', () => !document.hidden && audio && wake())
if (document.documentElement.requestFullscreen) {
  full.hidden = false
  full.onclick = () =>
    document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen()
}
showSound()
begin()
