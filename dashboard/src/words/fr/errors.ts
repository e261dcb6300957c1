// Errors of the page and of the routes, in French. A refusal comes with its own sentence from the server.
export const errors = {
  byCode: {
    unreachable: 'Le serveur ne répond pas. Vérifiez votre connexion, puis réessayez.',
    unexpected: 'Quelque chose n’a pas marché de notre côté. Réessayez dans un instant.',
    signed_out: 'Votre session est terminée. Connectez-vous à nouveau.',
    too_many_requests: 'Trop de demandes. Attendez un peu avant de recommencer.',
    export_under_way: 'Votre dernier export est encore en cours. Attendez qu’il soit terminé, puis réessayez.',
    too_many_exports: 'D’autres exports sont en cours. Réessayez dans quelques secondes.',
    unavailable: 'Le service est momentanément indisponible. Rien n’a été changé.',
    cross_site:
      'Cette demande ne venait pas de l’adresse de ce service. Ouvrez le tableau de bord à son adresse (PUBLIC_URL), puis réessayez.',
    role_not_allowed: 'Votre rôle ne permet pas cela.',
    input_not_valid: 'Quelque chose manque ou n’est pas valable.',
    email_unconfirmed: 'Confirmez d’abord votre adresse e-mail : ouvrez le lien de notre message.',
    document_not_valid: 'Un document est un PDF, un JPEG ou un PNG de 5 Mo au plus.',
  } as Readonly<Record<string, string>>,
  byStatus: {
    400: 'Quelque chose manque ou n’est pas valable.',
    403: 'Votre rôle ne permet pas cela.',
    404: 'Introuvable.',
    409: 'Cela a changé entre-temps. Rechargez la page.',
    413: 'C’est trop grand.',
    422: 'Quelque chose n’est pas valable.',
    429: 'Trop de demandes. Attendez un peu avant de recommencer.',
    503: 'Le service est momentanément indisponible. Rien n’a été changé.',
  } as Readonly<Record<number, string>>,
  waitSeconds: (seconds: number) =>
    `Réessayez dans ${seconds < 90 ? `${seconds} secondes` : `${Math.ceil(seconds / 60)} minutes`}.`,
  title: 'Cela n’a pas marché',
}
