// Documents for a merchant's validation: a few, of three types, recognised by their first bytes and
// stored in encrypted chunks. The merchant's owners read them back, and the staff who review the
// file. Audited.
import { fileTypeOf } from '../../domain/merchants/brand.ts'
import { base32 } from '../../domain/payments/reference.ts'
import { actorOf, type MerchantCaller } from '../../domain/people/caller.ts'
import type { Refused } from '../../domain/refusals/refusal.ts'
import { type MasterBox, type SealedBox, sealedBox } from '../../domain/sealed-box.ts'
import { isShownText } from '../../domain/texts/free-text.ts'
import { insertMerchantAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import {
  findChunk,
  findDocument,
  insertDocument,
  listDocuments,
  type MerchantDocument,
  removeDocument,
} from '../../store/merchants/documents.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import { endApprovalOfFile } from '../approvals/relied-on.ts'
import type { Deps } from '../deps.ts'

export interface DocumentDeps extends Pick<Deps, 'db' | 'clock' | 'random'> {
  documentBox: MasterBox
}

export const MOST_DOCUMENT_BYTES = 5 * 1024 * 1024
const MOST_DOCUMENTS = 10
const LONGEST_NAME = 120
/** Small enough that sealing or opening one does not block the event loop. */
const CHUNK_BYTES = 64 * 1024
const KEY_BYTES = 32

const keyPlace = (documentId: string): string => `${documentId} content_key`
const chunkPlace = (documentId: string, chunk: number): string => `${documentId} ${chunk}`

export async function addDocument(
  { db, clock, random, documentBox }: DocumentDeps,
  caller: MerchantCaller,
  { name, file }: { name: string; file: Buffer },
): Promise<MerchantDocument | Refused> {
  const type = fileTypeOf(file)
  const isValid =
    type !== undefined && file.length <= MOST_DOCUMENT_BYTES && isShownText(name, LONGEST_NAME)
  if (!isValid) return { refused: 'document_not_valid', mostBytes: MOST_DOCUMENT_BYTES }
  const documentId = `doc_${base32(random.bytes(10), 16)}`
  const key = random.bytes(KEY_BYTES)
  const box = sealedBox(key, random)
  const chunks = Array.from({ length: Math.ceil(file.length / CHUNK_BYTES) }, (_, index) =>
    box.seal(
      file.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES).toString('base64'),
      chunkPlace(documentId, index),
    ),
  )
  return db.transaction(async (tx) => {
    const { accountId } = caller
    await lockAccount(tx, accountId)
    const profile = await findProfile(tx, accountId)
    if (profile === undefined) return { refused: 'account_not_found' }
    const { merchantId } = profile
    if ((await listDocuments(tx, merchantId)).length >= MOST_DOCUMENTS)
      return { refused: 'too_many_documents', most: MOST_DOCUMENTS }
    const document = { documentId, name, type, bytes: file.length, uploadedAt: clock.now() }
    const contentKey = await sealForStore(
      tx,
      documentBox,
      Buffer.from(key).toString('hex'),
      keyPlace(documentId),
    )
    await insertDocument(
      tx,
      merchantId,
      { ...document, contentKey, uploadedBy: actorOf(caller) },
      chunks,
    )
    await endApprovalOfFile(tx, merchantId, caller, document.uploadedAt)
    const record = { at: document.uploadedAt, action: 'document.add', subject: documentId }
    await insertMerchantAudit(tx, caller, merchantId, {
      ...record,
      detail: { name, type, bytes: document.bytes },
    })
    return document
  })
}

export interface OpenDocument extends MerchantDocument {
  content: AsyncIterable<Buffer>
}

export async function openDocument(
  deps: DocumentDeps,
  caller: MerchantCaller,
  { documentId }: { documentId: string },
): Promise<OpenDocument | Refused> {
  const profile = await findProfile(deps.db, caller.accountId)
  const found = profile && (await openDocumentOf(deps, profile.merchantId, documentId))
  return found ?? { refused: 'document_not_found' }
}

/** Undefined when the merchant has no such document. */
export async function openDocumentOf(
  { db, random, documentBox }: DocumentDeps,
  merchantId: string,
  documentId: string,
): Promise<OpenDocument | undefined> {
  const found = await findDocument(db, merchantId, documentId)
  if (found === undefined) return undefined
  const { contentKey, ...document } = found
  const key = Buffer.from(documentBox.open(contentKey, keyPlace(documentId)), 'hex')
  return { ...document, content: chunksOf(db, documentId, sealedBox(key, random)) }
}

async function* chunksOf(db: Database, documentId: string, box: SealedBox): AsyncGenerator<Buffer> {
  for (let chunk = 0; ; chunk++) {
    const sealed = await findChunk(db, documentId, chunk)
    if (sealed === undefined) return
    yield Buffer.from(box.open(sealed, chunkPlace(documentId, chunk)), 'base64')
  }
}

export async function deleteDocument(
  { db, clock }: Pick<DocumentDeps, 'db' | 'clock'>,
  caller: MerchantCaller,
  { documentId }: { documentId: string },
): Promise<{ removed: true } | Refused> {
  return db.transaction(async (tx) => {
    const profile = await findProfile(tx, caller.accountId)
    if (profile === undefined) return { refused: 'document_not_found' }
    const { merchantId } = profile
    const removed = await findDocument(tx, merchantId, documentId)
    if (removed === undefined || !(await removeDocument(tx, merchantId, documentId)))
      return { refused: 'document_not_found' }
    const at = clock.now()
    await endApprovalOfFile(tx, merchantId, caller, at)
    const record = {
      at,
      action: 'document.remove',
      subject: documentId,
      earlier: { name: removed.name },
    }
    await insertMerchantAudit(tx, caller, merchantId, record)
    return { removed: true }
  })
}
