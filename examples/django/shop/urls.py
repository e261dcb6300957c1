"""The addresses of the shop."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.home),
    path("hook", views.webhook),
    path("orders", views.place_order),
    path("orders/<order_id>", views.show_order),
]
