"""The settings of the shop: what Karba needs comes from the environment."""

import os
import secrets

from django.core.exceptions import ImproperlyConfigured

NEEDED = ["KARBA_URL", "SECRET_KEY", "SECRET_HASH", "SIGNING_SECRET"]
if missing := [name for name in NEEDED if not os.environ.get(name)]:
    raise ImproperlyConfigured(f"Set {', '.join(missing)}.")

KARBA_URL = os.environ["KARBA_URL"]
KARBA_SECRET_KEY = os.environ["SECRET_KEY"]
KARBA_SECRET_HASH = os.environ["SECRET_HASH"]
KARBA_SIGNING_SECRET = os.environ["SIGNING_SECRET"]

# Django's own: set it where pages have sessions.
SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY") or secrets.token_hex(32)
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = ["shop"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.path.join(os.environ.get("DATA", "."), "orders.db"),
        "OPTIONS": {"timeout": 20},
    }
}
