// A guest with a browser without scripts: takes a product, fills in the checkout, and may leave at
// any moment.
import { until } from '../../../server/test/kit/waiting.ts'
import type { Shop } from './open-shop.ts'

export interface Placed {
  id: number
  key: string
  redirect: string
}

export class Customer {
  private readonly cookies = new Map<string, string>()
  private readonly shop: Shop

  constructor(shop: Shop) {
    this.shop = shop
  }

  async get(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ status: number; text: string; url: string }> {
    let url = new URL(path, this.shop.url).href
    for (let hops = 0; hops < 5; hops++) {
      const answer = await this.request(url, signal ? { signal } : {})
      const goTo = answer.headers.get('location')
      if (answer.status < 300 || answer.status >= 400 || goTo === null)
        return { status: answer.status, text: await answer.text(), url }
      await answer.text()
      url = new URL(goTo, url).href
      if (!url.startsWith(this.shop.url)) return { status: answer.status, text: '', url }
    }
    throw new Error(`${path} redirects without end`)
  }

  /** Puts the product into the cart and reads the checkout; returns its nonce. */
  async fillCart(productId: number): Promise<string> {
    return until('checkout with the product', async () => {
      const added = await this.request(`${this.shop.url}/?wc-ajax=add_to_cart`, {
        method: 'POST',
        body: new URLSearchParams({ product_id: String(productId), quantity: '1' }),
      })
      await added.text()
      const { text } = await this.get('/classic-checkout/')
      return /name="woocommerce-process-checkout-nonce" value="([^"]+)"/.exec(text)?.[1]
    })
  }

  async placeOrder(
    nonce: string,
    fields: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Placed> {
    const answer = await this.request(`${this.shop.url}/?wc-ajax=checkout`, {
      method: 'POST',
      body: new URLSearchParams({
        billing_first_name: 'Awa',
        billing_last_name: 'Diallo',
        billing_country: 'NE',
        billing_address_1: 'Rue 1',
        billing_city: 'Niamey',
        billing_state: 'Niamey',
        billing_postcode: '8001',
        billing_phone: '90123456',
        billing_email: 'awa@customer.example',
        payment_method: 'karba',
        karba_country: 'NE',
        'woocommerce-process-checkout-nonce': nonce,
        ...fields,
      }),
      ...(signal && { signal }),
    })
    const text = await answer.text()
    const placed = JSON.parse(text.slice(text.indexOf('{'))) as {
      result: string
      redirect?: string
      order_id?: number
      messages?: string
    }
    if (placed.result !== 'success') throw new Error(`not placed: ${placed.messages}`)
    const redirect = placed.redirect as string
    return {
      id: placed.order_id ?? 0,
      key: new URL(redirect).searchParams.get('key') ?? '',
      redirect,
    }
  }

  private async request(url: string, options: RequestInit): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { ...options, headers: { cookie }, redirect: 'manual' })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      this.cookies.set(name, value)
    }
    return answer
  }
}
