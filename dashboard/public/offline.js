// The service worker of the dashboard. Without a connection it opens the page and the files that
// this browser has already loaded. It never keeps answers of the API: they have customers' names
// and numbers.
const STORE = 'karba-pages'
const SHELL = '/dashboard/'
const ASSETS = '/dashboard/assets/'
const MOST_FILES = 120

addEventListener('install', (event) => {
  skipWaiting()
  event.waitUntil(caches.open(STORE).then((store) => store.add(SHELL)))
})

addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (pathname.startsWith(ASSETS)) event.respondWith(openAsset(request))
  else if (request.mode === 'navigate' && !/^\/dashboard\/(api|mail|counter)\//.test(pathname))
    event.respondWith(openPage(request))
})

/** Names of these files contain a hash of their content: a kept one is never out of date. */
async function openAsset(request) {
  const store = await caches.open(STORE)
  const kept = await store.match(request)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) {
    await store.put(request, answer.clone())
    const names = await store.keys()
    // In the order in which they were added; the page itself stays.
    for (const name of names.filter(({ url }) => url.includes(ASSETS)).slice(0, -MOST_FILES))
      await store.delete(name)
  }
  return answer
}

async function openPage(request) {
  try {
    const answer = await fetch(request)
    if (answer.ok) await (await caches.open(STORE)).put(SHELL, answer.clone())
    return answer
  } catch (error) {
    const kept = await caches.match(SHELL)
    if (kept) return kept
    throw error
  }
}
