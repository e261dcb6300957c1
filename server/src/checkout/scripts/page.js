// The script of the payer's pages: polls the link's state, posts it to the site around a frame,
// prints, copies. Every page works without it. `npm run minify` wraps it in a function and writes
// page.min.js, which is what is inlined.

const page = document.body.dataset
const find = (what) => document.querySelector(what)
const line = find('[data-offline]') || { dataset: {} }
const said = line.textContent
// Polling, where the page has a time for it:
//
//   waiting  the timer runs; `wait` doubles with each failure
//   asking   one request at a time; a hidden page sends none
//   leaving  the state has changed: the page is loaded again, and isAsking stays true
let every = +page.every
let wait = every
let isAsking
let timer
// A form was sent, and no second one is.
let isSent

// Buttons that need the script are hidden until it runs.
const on = (name, work) => {
  const button = find(`[data-do=${name}]`)
  if (!button) return
  button.hidden = false
  button.onclick = () => work(button)
}

// Posts to the origin of the site around the frame and to no other.
const tell = (status) => {
  if (page.frame && parent !== window)
    parent.postMessage(
      { source: 'karba', reference: page.reference, status, mark: window.name },
      page.frame,
    )
}

const say = (text) => {
  if (line.textContent !== text) line.textContent = text
}

const ask = async () => {
  clearTimeout(timer)
  if (isAsking || document.hidden) return
  isAsking = true
  try {
    // A request that hangs counts as failed.
    const late = new Promise((_, fail) => setTimeout(fail, 15000))
    const { state } = await (
      await Promise.race([fetch(page.status, { cache: 'no-store' }), late])
    ).json()
    if (!state) throw 0
    // isAsking stays true, so that polling stops: on a slow connection, a second reload would
    // cancel the first.
    if (state !== page.state) return location.replace(page.here)
    wait = every
    say(said)
  } catch (_) {
    wait = Math.min(wait * 2, 30000)
    say(line.dataset.offline)
  }
  isAsking = false
  timer = setTimeout(ask, wait)
}

if (every) {
  timer = setTimeout(ask, wait)
  document.addEventListener('visibilitychange', ask)
  addEventListener('online', ask)
}

// Of the countries' operators only those of the chosen country are shown; without the script all
// are.
const country = find('select')
const showOperators = () => {
  for (const each of document.querySelectorAll('[data-country]'))
    each.hidden = each.dataset.country !== country.value
}
// The typed number is restored after a failed attempt: in this tab only, since everyone with the
// link can open its page.
let typed = {}
try {
  typed = sessionStorage
} catch (_) {}
const number = find('#n')
if (country) {
  const choose = (name) => {
    if (find(`[value=${name}]`)) country.value = name
  }
  const [before, text] = JSON.parse(typed[location.pathname] || '[]')
  if (text && !number.value) {
    choose(before)
    number.value = text
  }
  country.onchange = showOperators
  // A number that names its country chooses it: an option ends with its calling code.
  number.oninput = () => {
    const typed = number.value.replace(/\s/g, '').replace(/^00/, '+')
    for (const { text, value } of country.options)
      if (typed.startsWith(text.replace(/.* /, ''))) country.value = value
    showOperators()
  }
  // On a reload the browser restores the chosen value after this script has run.
  addEventListener('pageshow', showOperators)
  showOperators()
}

// In a frame of another site browsers keep neither cookies nor storage. The window's name shows
// that this frame began an attempt: it survives a reload. The page sends it to the surrounding
// site, which gives it to a later frame of the same order.
const attempts = +(page.state || '').split(':')[1]
const mark = (form) => {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)))
  const token = bytes.map((byte) => (byte + 256).toString(16).slice(1)).join('')
  form.browser.value = token
  window.name = `${attempts + 1} ${token}`
}
const [attempt, token] = window.name.split(' ')
const own = find('form[hidden]')
if (own && token) {
  own.browser.value = token
  // Requests the receipt. The answer has no such form, so another payer's token is sent once.
  if ('proof' in own.dataset) own.submit()
  else if (+attempt === attempts) {
    own.hidden = false
    find('[data-elsewhere]').hidden = true
  }
}

// A second tap on a slow connection sends nothing. If the form opened a new tab, this page polls
// more often from now on.
addEventListener('submit', (event) => {
  if (isSent) return event.preventDefault()
  isSent = true
  if (page.frame && event.target.attempt) mark(event.target)
  if (number) typed[location.pathname] = JSON.stringify([country.value, number.value])
  const button = event.submitter || find('.go')
  const { formTarget, innerHTML, dataset } = button
  if (dataset.busy) {
    button.textContent = dataset.busy
    button.setAttribute('aria-busy', true)
  }
  const again = () => {
    isSent = false
    if (dataset.busy) {
      button.innerHTML = innerHTML
      button.removeAttribute('aria-busy')
    }
    if (formTarget) {
      every = 2500
      ask()
    }
  }
  setTimeout(again, formTarget ? 1500 : 9000)
})

// The browser's back button restores the page from its cache, which may be old.
addEventListener('pageshow', (event) => {
  if (event.persisted && page.here) location.replace(page.here)
})

const go = () => {
  location.href = page.back
}
const leaving = page.back && setTimeout(go, 8000)
const stay = () => {
  clearTimeout(leaving)
  const note = find('[data-leaving]')
  if (note) note.hidden = true
}
on('stay', stay)
on('print', () => {
  stay()
  print()
})
on('close', () => tell('closed_by_payer'))
// The site around the frame gets no key events from inside it.
addEventListener('keydown', (event) => {
  if (event.key === 'Escape') tell('closed_by_payer')
})
on('copy', (button) => {
  find('[readonly]').select()
  document.execCommand('copy')
  button.textContent = button.dataset.done
})
const over = find('[data-tab]')
if (over) over.hidden = parent !== window
tell(page.now)
